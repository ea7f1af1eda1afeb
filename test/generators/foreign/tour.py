"""Does the tour of the README with the client that openapi-python-client generates."""

import json
import os
from io import BytesIO

from imagewright_client import AuthenticatedClient
from imagewright_client.api.analysis import analyze_images, get_analysis
from imagewright_client.api.credits_ import get_balance
from imagewright_client.api.export import download_file, export_images, sample_images
from imagewright_client.api.sessions import create_session
from imagewright_client.models import (
    AnalyzeRequestInput,
    CompleteEvent,
    CreateSessionBody,
    ExportRequestInput,
    ProgressEvent,
)
from imagewright_client.types import File

client = AuthenticatedClient(
    base_url=os.environ["IMAGEWRIGHT_URL"], token=os.environ["IMAGEWRIGHT_KEY"], auth_header_name="X-API-Key", prefix=""
)
with open(os.environ["IMAGEWRIGHT_IMAGE_FILE"], "rb") as photo:
    file = File(payload=BytesIO(photo.read()), file_name="picture.png", mime_type="image/png")
uploaded = create_session.sync(client=client, body=CreateSessionBody(images=[file]))
session, image = uploaded.session_id, uploaded.images[0].id

described = analyze_images.sync(session, client=client, body=AnalyzeRequestInput())
assert "event: complete" in str(described), described
assert get_analysis.sync(session, client=client).status == "completed"

order = ExportRequestInput.from_dict(
    {
        "images": [{"id": image, "metadata": {"filename": "paint-brushes"}}],
        "settings": {"format": "webp", "preset": "high", "responsive": True, "responsiveSizes": [48, 96]},
    }
)
statuses = []


def follow(kwargs):
    """Reads the events of a stream as they come, each with the type that `x-events` names."""
    kinds = {"progress": ProgressEvent, "complete": CompleteEvent}
    with client.get_httpx_client().stream(**kwargs) as response:
        kind = None
        for line in response.iter_lines():
            if line.startswith("event: "):
                kind = kinds[line[7:]]
            if line.startswith("data: "):
                statuses.append(str(kind.from_dict(json.loads(line[6:])).status))


follow(sample_images._get_kwargs(session, body=order))
follow(export_images._get_kwargs(session, body=order))
download = download_file.sync_detailed(session, client=client, filename="paint-brushes.webp")
balance = get_balance.sync(client=client).balance
print(json.dumps({"statuses": statuses, "format": download.content[8:12].decode(), "balance": balance}))
