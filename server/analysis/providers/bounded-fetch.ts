/** No answer about one image comes near this many bytes. */
const MAX_ANSWER_BYTES = 1_000_000;

/** Fetches without following redirects, which would carry image and key elsewhere, and cuts off endless answers. */
export const boundedFetch: typeof globalThis.fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' });
  if (!response.body) return response;
  let received = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      received += chunk.byteLength;
      if (received > MAX_ANSWER_BYTES) controller.error(new Error('the answer is too long'));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
};
