"""Hooks of schemathesis: real images as files, and ids that exist in cases that are meant to be accepted."""

import json
import os

import schemathesis
from hypothesis import strategies as st

KNOWN = json.loads(os.environ["IMAGEWRIGHT_KNOWN"])
with open(os.environ["IMAGEWRIGHT_IMAGE_FILE"], "rb") as image:
    schemathesis.openapi.format("binary", st.just(image.read()))


def is_meant_to_be_accepted(case):
    return case.meta is None or case.meta.generation.mode.value == "positive"


@schemathesis.hook
def before_call(ctx, case, kwargs):
    """Puts ids of the service into the path, the query and the body."""
    if not is_meant_to_be_accepted(case):
        return
    for name in list(case.path_parameters or {}):
        if name in KNOWN:
            case.path_parameters[name] = KNOWN[name]
    if isinstance(case.query, dict) and "filename" in case.query:
        case.query["filename"] = KNOWN["filename"]
    if not isinstance(case.body, dict):
        return
    if "sessionId" in case.body:
        case.body["sessionId"] = KNOWN["sessionId"]
    images = case.body.get("images")
    if not isinstance(images, list) or "imageCount" in case.body:
        return
    del images[1:]
    for index, image in enumerate(images):
        if isinstance(image, str):
            images[index] = KNOWN["imageId"]
        elif isinstance(image, dict) and "id" in image:
            image["id"] = KNOWN["imageId"]
            image.pop("uploadPath", None)
