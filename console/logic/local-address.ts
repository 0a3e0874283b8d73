/** Whether an address leads to the machine that opens it: no phone can open such a link of this site. */
export function hasLocalOnly(address: string): boolean {
  const { hostname } = new URL(address)
  return /^(.+\.)?localhost$|^127\.|^\[::1\]$|^0\.0\.0\.0$/.test(hostname)
}
