import { readFileSync } from 'node:fs'

/** As PostgreSQL's own clients have them: https://www.postgresql.org/docs/current/libpq-ssl.html */
const tlsModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type TlsMode = (typeof tlsModes)[number]

/** The protection that one attempt to connect uses. */
export type Protection = false | 'encrypted' | 'verified-authority' | 'verified'

/** In the order in which they are tried. */
const protections = {
  disable: [false],
  allow: [false, 'encrypted'],
  prefer: ['encrypted', false],
  require: ['encrypted'],
  'verify-ca': ['verified-authority'],
  'verify-full': ['verified'],
} as const satisfies Record<TlsMode, readonly Protection[]>

/** One server: a name or address, or the directory of a Unix socket. */
export type Host = { readonly host: string; readonly port: number }

/** The place of the database, and the log-in. */
export type Target = {
  readonly hosts: readonly Host[]
  readonly database: string
  readonly user: string
  readonly password: string | null
  readonly protections: readonly Protection[]
  /** PEM texts. */
  readonly certificates: { readonly ca?: string; readonly cert?: string; readonly key?: string }
}

const DEFAULT_PORT = 5432
const parameters = [
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
] as const
type Parameter = (typeof parameters)[number]

const SHAPE =
  /^postgres(?:ql)?:\/\/(?:(?<login>[^@/?]*)@)?(?<hosts>[^/?]*)(?:\/(?<database>[^?]*))?(?:\?(?<query>.*))?$/
/** A host, an IPv6 address in brackets, or nothing; and a port. */
const HOST = /^(?:\[(?<address>[^\]]+)\]|(?<name>[^:]*))(?::(?<port>\d+))?$/

/**
 * Reads a connection address as PostgreSQL's own clients do, several hosts and Unix sockets included. Throws with a
 * sentence for the operator that does not show the address, because it holds the password.
 */
export function targetOf(url: string): Target {
  const found = SHAPE.exec(url)?.groups
  if (found === undefined) throw new Error('store.url must be like postgresql://user:password@host/database')
  const given = parametersIn(found.query ?? '')
  const [user = '', ...password] = (found.login ?? '').split(':').map(decoded)
  const database = given.dbname ?? decoded(found.database ?? '')
  const name = given.user ?? user
  if (name === '') throw new Error('store.url must name the database user: postgresql://user:password@host/database')
  if (database === '') throw new Error('store.url must name the database: postgresql://user:password@host/database')
  const mode = given.sslmode ?? 'prefer'
  if (!isTlsMode(mode)) throw new Error(`store.url: sslmode must be one of ${tlsModes.join(', ')}`)
  return {
    hosts: hostsOf(given.host ?? found.hosts ?? '', given.port ?? ''),
    database,
    user: name,
    password: given.password ?? (password.length === 0 ? null : password.join(':')),
    protections: protections[mode],
    certificates: certificatesOf(given, mode),
  }
}

const isTlsMode = (mode: string): mode is TlsMode => (tlsModes as readonly string[]).includes(mode)
const isParameter = (name: string): name is Parameter => (parameters as readonly string[]).includes(name)

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('store.url: a % must be written as %25')
  }
}

function parametersIn(query: string): Partial<Record<Parameter, string>> {
  const given: Partial<Record<Parameter, string>> = {}
  for (const pair of query.split('&').filter((part) => part !== '')) {
    const [name = '', ...value] = pair.split('=')
    if (!isParameter(name)) {
      throw new Error(`store.url has the parameter ${name}, which is not one of ${parameters.join(', ')}`)
    }
    given[name] = decoded(value.join('='))
  }
  return given
}

function hostsOf(hosts: string, ports: string): readonly Host[] {
  const listed = ports.split(',')
  return hosts.split(',').map((text, place) => {
    // A socket's directory may be written in the host's place, with its slashes encoded.
    const host = decoded(text)
    if (host.startsWith('/')) return { host, port: portOf(listed[place] || listed[0]) }
    const { address, name = '', port } = HOST.exec(host)?.groups ?? {}
    if (address === undefined && name === '' && host !== '') throw new Error(`store.url: ${host} is not a host`)
    return { host: (address ?? name) || 'localhost', port: portOf(port ?? (listed[place] || listed[0])) }
  })
}

function portOf(text = ''): number {
  const port = text === '' ? DEFAULT_PORT : Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`store.url: ${text} is not a port`)
  return port
}

function certificatesOf(given: Partial<Record<Parameter, string>>, mode: TlsMode): Target['certificates'] {
  const { sslrootcert = 'system', sslcert, sslkey } = given
  if ((sslcert === undefined) !== (sslkey === undefined)) throw new Error('store.url: sslcert and sslkey go together')
  return {
    ...(mode.startsWith('verify') && sslrootcert !== 'system' && { ca: pem(sslrootcert, 'sslrootcert') }),
    ...(sslcert !== undefined && { cert: pem(sslcert, 'sslcert') }),
    ...(sslkey !== undefined && { key: pem(sslkey, 'sslkey') }),
  }
}

function pem(file: string, parameter: Parameter): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`store.url: ${parameter} could not be read: ${(error as Error).message}`, { cause: error })
  }
}
