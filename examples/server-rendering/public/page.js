// Gives the element a token for an hour, and a new one when it has expired.
const element = document.querySelector('image-optimizer');

async function renew() {
  const query = element.sessionId ? `?session=${element.sessionId}` : '';
  const answer = await fetch(`/image-token${query}`, { method: 'POST' });
  element.apiKey = (await answer.json()).token;
}

element.addEventListener('io-error', ({ detail }) => {
  if (detail.error.serviceCode === 'invalid_api_key') renew();
});
renew();
