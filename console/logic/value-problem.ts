type ValueWords = {
  readonly problems: Readonly<Record<string, string>>
  readonly problemOf: {
    readonly whole: (min: string, max: string) => string
    readonly above: (max: string) => string
    readonly atLeast: (count: string) => string
    readonly profiles: (names: string) => string
    readonly noPort: (port: string, why: string) => string
    readonly portUsed: string
    readonly portForbidden: string
    readonly wildcard: (name: string) => string
    readonly addressOnly: (address: string) => string
    readonly environment: (variable: string) => string
    readonly besides: (key: string) => string
    readonly hostNeeded: (key: string) => string
  }
}

function portTrouble(why: string, { portUsed, portForbidden }: ValueWords['problemOf']): string {
  if (why === 'the port is in use') return portUsed
  return why.startsWith('this user has no permission') ? portForbidden : why
}

/** Why the service refuses a value of the setup. A sentence that is not known is shown unchanged. */
export function valueProblem(message: string, { problems, problemOf }: ValueWords): string {
  if (Object.hasOwn(problems, message)) return problems[message]!
  const [, min, max] = /^must be a whole number from (\S+) to (\S+)$/.exec(message) ?? []
  if (max !== undefined) return problemOf.whole(min!, max)
  const [, most] = /^must be a number above 0, up to (\S+)$/.exec(message) ?? []
  if (most !== undefined) return problemOf.above(most)
  const [, count] = /^must have at least (\d+) characters$/.exec(message) ?? []
  if (count !== undefined) return problemOf.atLeast(count)
  const [, names] = /^is not a profile; the profiles are (.+)$/.exec(message) ?? []
  if (names !== undefined) return problemOf.profiles(names)
  const [, key] = /^goes with ([\w.]+): set it where that is set, in the file or the environment$/.exec(message) ?? []
  if (key !== undefined) return problemOf.besides(key)
  const [, needing] = /^has to keep the host of (\S+): change that first$/.exec(message) ?? []
  if (needing !== undefined) return problemOf.hostNeeded(needing)
  const [, port, closed] = /^cannot listen on .+, http\.acmePort (\d+): (.+)$/.exec(message) ?? []
  if (closed !== undefined) return problemOf.noPort(port!, portTrouble(closed, problemOf))
  const [, wildcard] = /^is required for (\S+): a CA checks such a name through the DNS only$/.exec(message) ?? []
  if (wildcard !== undefined) return problemOf.wildcard(wildcard)
  const [, address] = /^is required with acme\.enabled: publicUrl has the address (\S+), /.exec(message) ?? []
  if (address !== undefined) return problemOf.addressOnly(address)
  const [, variable] = /^is set by (\w+), which wins: change it there$/.exec(message) ?? []
  return variable === undefined ? message : problemOf.environment(variable)
}
