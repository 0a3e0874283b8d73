import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MAPS, ROOT } from '../build/sources.ts'
import { RELEASE, run, version } from './release.ts'
import { settle } from './tree.ts'

type Part = readonly [from: string, to: string]

/** What a site and its developers read, and what leads from a stack trace to the source: neither is needed to run. */
const ARCHIVES: Readonly<Record<string, readonly Part[]>> = {
  docs: ['README.md', 'CHANGELOG.md', 'docs', 'examples'].map((name): Part => [join(ROOT, name), name]),
  maps: [[MAPS, '.']],
}

/** `release/tocsin-VERSION-docs.tgz` and `-maps.tgz`, each one directory. Returns their names. */
export async function makeArchives(work: string): Promise<readonly string[]> {
  const files: string[] = []
  for (const [name, parts] of Object.entries(ARCHIVES)) {
    const directory = `tocsin-${version}-${name}`
    const root = join(work, directory)
    await rm(root, { recursive: true, force: true })
    await mkdir(root)
    for (const [from, to] of parts) await cp(from, join(root, to), { recursive: true })
    await settle(root)
    const plain = ['--sort=name', '--format=gnu', '--owner=0', '--group=0', '--numeric-owner']
    run('tar', ['-czf', join(RELEASE, `${directory}.tgz`), ...plain, '-C', work, directory])
    await rm(root, { recursive: true })
    files.push(`${directory}.tgz`)
  }
  return files
}
