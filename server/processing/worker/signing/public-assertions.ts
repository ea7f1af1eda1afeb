/** Assertions that stay: what was done, by which program, whose work it is and what may be done with it. Any other may be private. */
const PUBLIC =
  /^(?:c2pa\.(?:actions|hash|ingredient|soft-binding|training-mining|certificate-status|time-stamp)|cawg\.(?:identity|training-mining)|stds\.schema-org\.CreativeWork|io\.imagewright\.)/;

/** Returns true for the label of an assertion that says nothing private, unless its content does. */
export function isPublicAssertion(label: string): boolean {
  return PUBLIC.test(label);
}
