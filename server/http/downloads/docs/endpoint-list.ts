import { html, type Markup } from './page.ts';

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

/** Part of JSON Schema that the service's schemas use. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  default?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

type Content = Record<string, { schema?: Schema }>;

/** An endpoint of the document. */
export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
}

/** The parts of an OpenAPI document that the reference shows. */
export interface OpenApi {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}
