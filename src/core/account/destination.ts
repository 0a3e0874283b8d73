/** Whether `phone` (E.164) begins with one of `prefixes`, or there are none. */
export const isAllowedDestination = (phone: string, prefixes: readonly string[]): boolean =>
  prefixes.length === 0 || prefixes.some((prefix) => phone.startsWith(prefix))
