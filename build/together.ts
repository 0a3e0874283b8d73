import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, posix, relative, resolve } from 'node:path'
import type { Plugin } from 'esbuild'
import { ROOT } from './sources.ts'

/**
 * Modules that are loaded on demand, in groups by the first expression that matches their name below `src`. Each such
 * module is an entry point, and esbuild makes one file for each set of entry points that share code: seventy of them
 * made 260 files.
 */
const GROUPS: readonly (readonly [group: string, modules: RegExp])[] = [
  ['service', /^(service\/serve|cli\/demo)/],
  // They need the HTTP client, a megabyte that no other command loads.
  ['doctor', /^(cli\/(doctor|notify)|service\/doctor|adapters\/outbound\/twilio)/],
  ['commands', /^(cli|adapters\/outbound\/http)/],
  ['backup', /^(service|adapters\/platform)\/backup/],
  ['postgres', /^adapters\/stores\/postgres/],
  ['sqlite', /^adapters\/(stores|platform\/(secrets|tls\/site-keys))/],
  ['acme', /^adapters\/outbound\/acme/],
  ['mail', /^adapters\/outbound\/smtp/],
  ['web-app', /^adapters\/inbound\/http\/web-app/],
  ['documents', /^adapters\/inbound\/http\/documents/],
]
const SRC = join(ROOT, 'src')
const ON_DEMAND = /\bimport\('(\.[^']+\.ts)'\)/g
const EXPORTED = /^export (?:async )?(?:function|const|class) (\w+)/gm

const groupOf = (name: string): string | undefined => GROUPS.find(([, modules]) => modules.test(name))?.[0]

/**
 * The modules of each group. `sources`: texts by their names below `src`. Throws if two of a group export the same
 * name: neither would have it.
 */
export function membersOf(sources: ReadonlyMap<string, string>): ReadonlyMap<string, ReadonlySet<string>> {
  const members = new Map<string, Set<string>>()
  const named = new Map<string, string>()
  for (const [name, text] of sources) {
    for (const [, asked] of text.matchAll(ON_DEMAND)) {
      const member = posix.join(posix.dirname(name), asked!)
      const group = groupOf(member)
      if (group === undefined || members.get(group)?.has(member)) continue
      members.set(group, (members.get(group) ?? new Set()).add(member))
      for (const [, exported] of sources.get(member)!.matchAll(EXPORTED)) {
        const key = `${group} ${exported}`
        const other = named.get(key)
        if (other !== undefined)
          throw new Error(`${other} and ${member} are built together, and both export ${exported}`)
        named.set(key, member)
      }
    }
  }
  return members
}

async function sourcesBelow(directory: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(directory, { recursive: true })).filter((name) => name.endsWith('.ts'))
  return new Map(names.map((name) => [name, readFileSync(join(directory, name), 'utf8')]))
}

/** A module that is loaded on demand comes with its group. */
export const together: Plugin = {
  name: 'together',
  async setup({ onResolve, onLoad }) {
    const members = membersOf(await sourcesBelow(SRC))
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
      const group = kind === 'dynamic-import' ? groupOf(relative(SRC, resolve(resolveDir, path))) : undefined
      return group === undefined ? undefined : { path: group, namespace: 'together' }
    })
    onLoad({ filter: /./, namespace: 'together' }, ({ path }) => {
      const lines = [...members.get(path)!].sort().map((member) => `export * from './${member}'\n`)
      return { contents: lines.join(''), resolveDir: SRC, loader: 'ts' }
    })
  },
}
