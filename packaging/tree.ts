import { createHash } from 'node:crypto'
import { chmod, cp, lutimes, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DIST, ROOT } from '../build/sources.ts'
import { epoch, PROCESSORS, type Processor, run } from './release.ts'

/** In `dist`, and no part of an installation. The compile cache belongs to the machine that wrote it. */
const LEFT_OUT = new Set(['sources', '.cache', 'maps'])

/**
 * Copies the build to `to`, with the Node and the native part of SQLite of one processor; of `every` processor, without
 * a Node. Nothing of it is run, so it works for a processor other than this one.
 */
export async function layTree(to: string, processor: Processor | 'every'): Promise<void> {
  const others = Object.keys(PROCESSORS).filter((one) => one !== processor)
  const isLeftOut = (path: string): boolean =>
    LEFT_OUT.has(basename(path)) ||
    others.some((other) => path.endsWith(`node-linux-${other}`)) ||
    (processor !== 'every' && others.some((other) => path.endsWith(`linux-${other}.node`)))
  await cp(DIST, to, { recursive: true, filter: (path) => !isLeftOut(path) })
  if (processor === 'every') return
  const own = join(to, 'node_modules', `node-linux-${processor}`)
  if (processor !== process.arch) await fetchNode(own, processor)
}

/** From the registry, as the lockfile has it: it is not installed where it could not run. */
async function fetchNode(to: string, processor: Processor): Promise<void> {
  const name = `node-linux-${processor}`
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'))
  const { version, integrity }: { version: string; integrity: string } = lock.packages[`node_modules/${name}`]
  const place = await mkdtemp(join(tmpdir(), 'tocsin-node-'))
  try {
    run('npm', ['pack', '--silent', `${name}@${version}`, '--pack-destination', place])
    const archive = join(place, `${name}-${version}.tgz`)
    const found = `sha512-${createHash('sha512')
      .update(await readFile(archive))
      .digest('base64')}`
    if (found !== integrity) throw new Error(`${name}@${version} is not what package-lock.json says: ${found}`)
    await mkdir(to, { recursive: true })
    run('tar', ['-xzf', archive, '-C', to, '--strip-components=1', 'package/package.json', 'package/bin/node'])
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

/** Gives everything below `root`, and itself, the modes of an installed file and the time of the release. */
export async function settle(root: string): Promise<void> {
  for (const entry of await readdir(root, { withFileTypes: true })) {
    const path = join(root, entry.name)
    if (entry.isDirectory()) await settle(path)
    else {
      if (entry.isFile()) await chmod(path, (await isProgram(path)) ? 0o755 : 0o644)
      await lutimes(path, epoch, epoch)
    }
  }
  await chmod(root, 0o755)
  await lutimes(root, epoch, epoch)
}

const isProgram = async (path: string): Promise<boolean> => ((await stat(path)).mode & 0o100) !== 0
