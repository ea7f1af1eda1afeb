import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { buildOpenApi, ENDPOINTS, type Endpoint, type EndpointName } from '#contract';
import { ANSWER_EXAMPLES, REQUEST_EXAMPLES } from '../../server/contract/openapi-examples.ts';
import { VERSION } from '../../server/version.ts';

type Json = Record<string, never>;

/** An operation, as far as the tests read it. */
interface Operation {
  responses: Record<string, { $ref?: string; content?: Record<string, Record<string, unknown>> }>;
}

const document = buildOpenApi(VERSION) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
};

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
  });

  it('has valid JSON Schemas and resolvable references', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: true });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'openapi', components: document.components });
    for (const name of Object.keys(document.components.schemas)) {
      expect(() => ajv.compile({ $ref: `openapi#/components/schemas/${name}` }), name).not.toThrow();
    }
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(20);
    for (const [, name] of references) expect(Object.keys(document.components.schemas)).toContain(name);
  });

  it('has exactly the endpoints of the table', () => {
    const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const table = (Object.values(ENDPOINTS) as Endpoint[]).map(
      ({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
    );
    expect(documented.sort()).toEqual(table.sort());
  });

  it('equals docs/openapi.json', () => {
    expect(JSON.parse(readFileSync('docs/openapi.json', 'utf8'))).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it('has each refusal once, and is at most 260 kB without spaces', () => {
    const all = Object.values(document.paths).flatMap((operations) => Object.values(operations));
    const refusals = all.flatMap(({ responses }) =>
      Object.entries(responses).filter(([status]) => Number(status) >= 400),
    );
    expect(refusals.filter(([, answer]) => Object.keys(answer).join() !== '$ref')).toEqual([]);
    const { responses } = document.components as unknown as { responses: Record<string, Json> };
    const texts = Object.values(responses).map((answer) => JSON.stringify(answer));
    expect(new Set(texts).size).toBe(texts.length);
    expect(JSON.stringify(document).length).toBeLessThanOrEqual(260_000);
  });

  it('has examples that the service takes and sends', () => {
    for (const [name, example] of Object.entries(REQUEST_EXAMPLES)) {
      const endpoint: Endpoint = ENDPOINTS[name as EndpointName];
      expect(() => endpoint.body?.parse(example), name).not.toThrow();
    }
    for (const [name, example] of Object.entries(ANSWER_EXAMPLES)) {
      const endpoint: Endpoint = ENDPOINTS[name as EndpointName];
      expect(endpoint.success.schema?.safeParse(example).error?.issues, name).toBeUndefined();
    }
  });

  it('names the schema of each event of a stream', () => {
    const streams = Object.values(document.paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ responses }) => {
        return responses['200']?.content?.['text/event-stream'] ?? [];
      });
    expect(streams).toHaveLength(6);
    for (const stream of streams) {
      const { schema, 'x-events': events } = stream as unknown as { schema: Json; 'x-events': Record<string, Json> };
      expect(Object.keys(events)).toEqual(['progress', 'complete', 'error']);
      expect(JSON.stringify(schema)).toMatch(/(Export|Analysis|Job)Events/);
    }
  });

  it('writes no list of types that generators of code do not know', () => {
    const lists = [...JSON.stringify(document).matchAll(/"type":(\[[^\]]*\])/g)].map(([, list = '']) =>
      JSON.parse(list),
    );
    expect(lists.filter((types: string[]) => types.length > 2 || !types.includes('null'))).toEqual([]);
  });
});
