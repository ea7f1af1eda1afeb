/** Returns true for a host name of a URL or setting that means this machine. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Returns the base URL at which this machine reaches a server on `host`; all interfaces include the loopback one. */
export function localUrl(host: string, port: number): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
