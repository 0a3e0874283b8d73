import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** A process that listens; null if this user may not see which one it is. */
export type PortHolder = { readonly pid: number; readonly program: string } | null

const LISTEN = '0A'
/** Far more than a service with every connection in use has. */
const MAX_LINKS = 200_000

/**
 * Those of these TCP ports of this machine (null: all) that have a listener, with its program, by the files of proc(5).
 * Several programs may have a port, each at its own address. Only root sees the names of other users' processes.
 * Empty on systems without such files.
 */
export function listeningAt(ports: ReadonlySet<number> | null): ReadonlyMap<number, readonly PortHolder[]> {
  const portOf = new Map(
    [...socketsIn('/proc/net/tcp'), ...socketsIn('/proc/net/tcp6')].filter(([, port]) => ports?.has(port) ?? true),
  )
  const holders = portOf.size === 0 ? new Map<string, PortHolder>() : holdersOf(portOf)
  const found = new Map<number, PortHolder[]>()
  for (const [inode, port] of portOf) found.set(port, [...(found.get(port) ?? []), holders.get(inode) ?? null])
  return found
}

/** The processes that have these sockets, by inode. */
function holdersOf(inodes: ReadonlyMap<string, unknown>): ReadonlyMap<string, PortHolder> {
  const found = new Map<string, PortHolder>()
  let left = MAX_LINKS
  for (const pid of namesIn('/proc').filter((name) => /^\d+$/.test(name))) {
    for (const file of namesIn(`/proc/${pid}/fd`)) {
      left -= 1
      if (left < 0) return found
      const inode = /^socket:\[(\d+)\]$/.exec(linkAt(`/proc/${pid}/fd/${file}`))?.[1] ?? ''
      if (inodes.has(inode)) found.set(inode, { pid: Number(pid), program: textOf(`/proc/${pid}/comm`).trim() })
    }
  }
  return found
}

/** Listening sockets by inode, with their ports. */
function socketsIn(table: string): readonly (readonly [inode: string, port: number])[] {
  return textOf(table)
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
      const port = Number.parseInt(local.split(':').at(-1) ?? '', 16)
      return state === LISTEN && inode !== '' && !Number.isNaN(port) ? [[inode, port] as const] : []
    })
}

/** Processes end while they are looked at, and those of others may not be read. */
function orNothing<T>(read: () => T, nothing: T): T {
  try {
    return read()
  } catch {
    return nothing
  }
}

const textOf = (path: string): string => orNothing(() => readFileSync(path, 'utf8'), '')
const namesIn = (path: string): readonly string[] => orNothing(() => readdirSync(path), [])
const linkAt = (path: string): string => orNothing(() => readlinkSync(path), '')
