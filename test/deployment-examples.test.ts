import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { listSettings, loadConfig } from '../server/config/index.ts';

const KNOWN = new Set(listSettings().map(({ name }) => name));
const SECRET = 'x'.repeat(48);

/** Names of settings that no module reads. */
const unknownOf = (env: object) => Object.keys(env).filter((name) => !KNOWN.has(name));

/** Fills `${NAME:?text}`, `${NAME:-default}` and `${NAME}` as Compose does. */
const filled = (text: string) => text.replace(/\$\{\w+(?::-([^}]*)|:\?[^}]*)?\}/g, (_, preset) => preset ?? SECRET);

interface Container {
  environment: Record<string, string>;
  stop_grace_period: string;
  volumes: string[];
}

interface Resource {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec: {
    replicas?: number;
    ports: { port: number }[];
    selector: { matchLabels: Record<string, string> };
    template: {
      metadata: { labels: Record<string, string> };
      spec: {
        terminationGracePeriodSeconds: number;
        containers: {
          env: { name: string; value: string }[];
          readinessProbe: { httpGet: { path: string }; periodSeconds?: number; failureThreshold?: number };
          livenessProbe: { httpGet: { path: string } };
        }[];
      };
    };
  };
}

/** Time that a server of these settings may take to stop, in seconds. */
const stopSeconds = (env: NodeJS.ProcessEnv) => {
  const { http } = loadConfig(env);
  return http.DRAIN_SECONDS + http.SHUTDOWN_SECONDS + 15;
};

describe('examples/cluster/compose.yaml', () => {
  const text = filled(readFileSync('examples/cluster/compose.yaml', 'utf8'));
  const { services, volumes } = parse(text, { merge: true }) as {
    services: Record<string, Container>;
    volumes: object;
  };
  const servers = ['server1', 'server2', 'server3'].map((name) => services[name] as Container);

  it('gives three servers the same valid settings, and a directory of their own', () => {
    for (const { environment, stop_grace_period } of servers) {
      expect(unknownOf(environment)).toEqual([]);
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThanOrEqual(stopSeconds(environment));
    }
    const shared = servers.map(({ environment: { ROLE: _, ...rest } }) => rest);
    expect(shared[1]).toEqual(shared[0]);
    expect(shared[2]).toEqual(shared[0]);
    const used = Object.values(services).flatMap((service) => service.volumes ?? []);
    expect(new Set(used.map((volume) => volume.split(':')[0]))).toEqual(new Set(Object.keys(volumes)));
    expect(used).toHaveLength(new Set(used).size);
  });

  it('sends requests to the servers that answer them, and hides what is for operators', () => {
    const nginx = readFileSync('examples/cluster/nginx.conf', 'utf8');
    expect(nginx.match(/server server\d:8080/g)).toEqual(['server server1:8080', 'server server2:8080']);
    expect(servers[2]?.environment.ROLE).toBe('worker');
    expect(nginx).toContain('(metrics|healthz|readyz)');
  });
});

describe('the resources for Kubernetes', () => {
  const schema = JSON.parse(readFileSync('test/fixtures/kubernetes/resources.schema.json', 'utf8')) as object;
  const ajv = new Ajv({ discriminator: true, strict: false, allErrors: true });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  const faultsOf = (resource: unknown) =>
    validate(resource) ? [] : validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`);

  it.each(['imagewright.yaml', 'stores.yaml'])('%s is what the API of Kubernetes takes', (name) => {
    const documents = parseAllDocuments(readFileSync(`examples/kubernetes/${name}`, 'utf8'));
    const faults = documents.map((document) => {
      const resource = document.toJS() as Resource;
      return [`${resource.kind} ${resource.metadata.name}`, faultsOf(resource)];
    });
    expect(faults.length).toBeGreaterThan(5);
    expect(Object.fromEntries(faults.filter(([, list]) => list?.length))).toEqual({});
  });

  it('a misspelt field, an unknown kind and a text for a number would be found', () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } };
    expect(faultsOf(service)).toEqual([]);
    const wrong = [
      { ...service, spec: { ...service.spec, selektor: {} } },
      { ...service, kind: 'Servise' },
      { ...service, apiVersion: 'v2' },
      { ...service, spec: { ports: [{ port: '80' }] } },
    ];
    expect(wrong.map((resource) => faultsOf(resource)?.length)).toEqual([1, 1, 1, 1]);
  });
});

describe('examples/kubernetes/imagewright.yaml', () => {
  const documents = parseAllDocuments(readFileSync('examples/kubernetes/imagewright.yaml', 'utf8'));
  const resources = documents.map((document) => document.toJS() as Resource);
  const byKind = (kind: string) => resources.filter((resource) => resource.kind === kind);
  const [config = {}, secret = {}] = [byKind('ConfigMap')[0]?.data, byKind('Secret')[0]?.stringData];

  it('is well formed and names known settings alone', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    expect(unknownOf({ ...config, ...secret })).toEqual([]);
  });

  it('sends requests through a proxy to three servers, and hides what is for operators', () => {
    const named = (kind: string, name: string) => byKind(kind).find(({ metadata }) => metadata.name === name);
    const conf = named('ConfigMap', 'imagewright-proxy')?.data?.['default.conf'] ?? '';
    expect(conf).toContain('(metrics|healthz|readyz)');
    const [, upstream = ''] = /proxy_pass http:\/\/([\w-]+);/.exec(conf) ?? [];
    expect(named('Service', upstream)?.spec.selector).toEqual({ app: 'imagewright', role: 'api' });
    expect(named('Deployment', 'imagewright-api')?.spec.replicas).toBe(3);
  });

  it('finds the replica set and the store of stores.yaml', () => {
    const stores = parseAllDocuments(readFileSync('examples/kubernetes/stores.yaml', 'utf8'));
    expect(stores.flatMap(({ errors }) => errors)).toEqual([]);
    const found = stores.map((document) => document.toJS() as Resource);
    const ports = new Map(
      found.filter(({ kind }) => kind === 'Service').map(({ metadata, spec }) => [metadata.name, spec.ports[0]?.port]),
    );
    const mongo = found.find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === 'mongo');
    const members = Array.from({ length: mongo?.spec.replicas ?? 0 }, (_, index) => `mongo-${index}.mongo`);
    expect([members.length, ports.get('mongo')]).toEqual([3, 27017]);
    expect(secret.MONGODB_URI).toContain(`@${members.join(',')}/`);
    const endpoint = new URL(new URL(secret.FILES_URL ?? '').searchParams.get('endpoint') ?? '');
    expect(ports.get(endpoint.hostname)).toBe(Number(endpoint.port));
  });

  it.each(['imagewright-api', 'imagewright-worker'])(
    '%s drains longer than the probe needs and ends by itself',
    (name) => {
      const { selector, template } = byKind('Deployment').find(({ metadata }) => metadata.name === name)?.spec ?? {};
      const [container] = template?.spec.containers ?? [];
      const env = Object.fromEntries(container?.env.map((one) => [one.name, one.value]) ?? []);
      const settings = { ...config, ...secret, API_KEY_PEPPER: SECRET, ...env };
      expect(unknownOf(env)).toEqual([]);
      expect(template?.metadata.labels).toEqual(selector?.matchLabels);
      expect(template?.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(stopSeconds(settings));
      const { readinessProbe, livenessProbe } = container ?? {};
      expect([readinessProbe?.httpGet.path, livenessProbe?.httpGet.path]).toEqual(['/readyz', '/healthz']);
      const { periodSeconds = 10, failureThreshold = 3 } = readinessProbe ?? {};
      const { http, jobs } = loadConfig(settings);
      // A worker receives no requests.
      if (jobs.ROLE === 'api') expect(http.DRAIN_SECONDS).toBeGreaterThan(periodSeconds * failureThreshold);
    },
  );
});

/** Reads a unit of systemd: the values of each key, by section. */
function readUnit(file: string): Record<string, Record<string, string[]>> {
  const sections: Record<string, Record<string, string[]>> = {};
  let section: Record<string, string[]> = {};
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (name) {
      section = {};
      sections[name] = section;
      continue;
    }
    if (line === '' || line.startsWith('#')) continue;
    const [, key = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    expect(key, `${file}: ${line}`).not.toBe('');
    section[key] = [...(section[key] ?? []), value];
  }
  return sections;
}

describe.each([
  ['examples/systemd/imagewright.service', 'Service', 'TimeoutStopSec', 'Service'],
  ['examples/podman/imagewright.container', 'Container', 'StopTimeout', 'Container'],
])('%s', (file, part, stopKey, stopPart) => {
  const unit = readUnit(file);
  const pairs = (unit[part]?.Environment ?? []).map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]);
  const env = Object.fromEntries(pairs);

  it('gives valid settings, starts at boot, and waits until running jobs have ended', () => {
    expect(unknownOf(env).filter((name) => name !== 'NODE_ENV')).toEqual([]);
    const { http } = loadConfig(env);
    expect(Number(unit[stopPart]?.[stopKey]?.[0])).toBeGreaterThan(http.DRAIN_SECONDS + http.SHUTDOWN_SECONDS);
    expect(unit.Install?.WantedBy).toHaveLength(1);
  });

  it('is installed by two commands that name files which are there', () => {
    const text = readFileSync(file, 'utf8');
    const commands = [...text.matchAll(/^# {3}(.*)$/gm)].map(([, command = '']) => command);
    expect(commands).toHaveLength(2);
    expect(commands.join(' ')).toContain(dirname(file));
    for (const volume of unit[part]?.Volume ?? []) {
      expect(existsSync(join(dirname(file), volume.split(':')[0] ?? '')), volume).toBe(true);
    }
  });
});
