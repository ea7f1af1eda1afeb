/** Milliseconds of processor time that work takes in this process: what others do on the machine does not count. */
export function cpuTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user } = process.cpuUsage(before);
  return user / 1000;
}
