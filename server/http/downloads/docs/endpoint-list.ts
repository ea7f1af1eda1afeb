import { html, type Markup } from './markup.ts';
import type { OpenApi, Operation } from './open-api-types.ts';

/** An operation of the OpenAPI document with its method, in capitals, and its path. */
export interface Endpoint extends Operation {
  method: string;
  path: string;
}

/** A tag of the OpenAPI document with its endpoints, in the order of the document. */
export interface EndpointGroup {
  name: string;
  description: string;
  endpoints: Endpoint[];
}

/** Returns the endpoints of each tag. */
export function groupEndpoints(api: OpenApi): EndpointGroup[] {
  const endpoints = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): Endpoint => ({ ...operation, method: method.toUpperCase(), path }),
    ),
  );
  return api.tags.map((tag) => ({ ...tag, endpoints: endpoints.filter(({ tags }) => tags.includes(tag.name)) }));
}

/** Returns where Swagger UI has an endpoint, as the fragment of `/docs/try`. */
export function tryFragment({ tags, operationId }: Endpoint): string {
  return `#/${tags[0] ?? ''}/${operationId}`;
}

/** Renders method and path of an endpoint. */
export function renderAddress({ method, path }: Endpoint): Markup {
  return html`<b>${method}</b> ${breakable(path)}`;
}

/** Renders a path with a `<wbr>` after each slash, where a browser may break the line. */
export function breakable(path: string): Markup[] {
  return path.split(/(?<=\/)/).map((part) => html`${part}<wbr>`);
}
