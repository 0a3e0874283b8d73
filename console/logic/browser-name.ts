/** A User-Agent by its everyday name. */
export const browserName = (agent: string): string => {
  const name = ['Edg', 'Firefox', 'Chrome', 'Safari'].find((known) => agent.includes(`${known}/`))
  const system = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'].find((known) => agent.includes(known))
  return name === undefined ? agent : [name === 'Edg' ? 'Edge' : name, system].filter(Boolean).join(', ')
}
