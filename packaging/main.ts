import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { ROOT } from '../build/sources.ts'
import { makeRepository, openSigner, type Signer } from './apt.ts'
import { makeArchives } from './archives.ts'
import { describeContents } from './contents.ts'
import { makeDeb } from './deb.ts'
import { layContainers, makeImage } from './image.ts'
import { releaseNotes } from './notes.ts'
import { has, PROCESSORS, type Processor, RELEASE, version } from './release.ts'
import { makeTarball } from './tarball.ts'

/**
 * `npm run release [-- --key FILE] [-- --apt DIR]`: builds what a release consists of into `release/`. Equal bytes for
 * equal commits. `--key`: a private OpenPGP key that signs the checksums; `--apt`: a signed repository of the packages.
 * `--only deb,npm,image` builds a part; `--processor x64` builds for one processor; `--quick` compresses little, for a
 * trial.
 */

const { values } = parseArgs({
  options: {
    ...{ apt: { type: 'string' }, key: { type: 'string' }, only: { type: 'string' }, processor: { type: 'string' } },
    quick: { type: 'boolean', default: false },
  },
})
const wanted = new Set(values.only?.split(',') ?? ['deb', 'npm', 'image'])
if (values.apt !== undefined && values.key === undefined) {
  console.error('error: --apt needs --key FILE: apt refuses a repository without a signature')
  process.exit(2)
}

/** What each part needs of Debian: program, package. */
const NEEDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  deb: { 'dpkg-deb': 'dpkg' },
  npm: {},
  image: { mmdebstrap: 'mmdebstrap', buildah: 'buildah' },
}

const processors = (Object.keys(PROCESSORS) as Processor[]).filter((one) => one === (values.processor ?? one))
const forEach = async (make: (processor: Processor) => Promise<string>): Promise<readonly string[]> => {
  const made: string[] = []
  for (const processor of processors) made.push(await make(processor))
  return made
}
const makers: Readonly<Record<string, (work: string) => Promise<readonly string[]>>> = {
  npm: async (work) => [await makeTarball(work), ...(await makeArchives(work))],
  deb: (work) => forEach((processor) => makeDeb(processor, work, values.quick)),
  image: async (work) => [
    ...(await forEach((processor) => makeImage(processor, work, values.quick))),
    ...(await layContainers()),
  ],
}

const isProduct = (name: string): boolean =>
  /\.(deb|tgz|oci\.tar|cdx\.json|md|yaml|container)$/.test(name) || ['THIRD-PARTY-NOTICES', 'use-image'].includes(name)

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

async function writeSums(signer: Signer | null): Promise<void> {
  const names = (await readdir(RELEASE)).filter(isProduct).sort()
  const lines = await Promise.all(names.map(async (name) => `${await sha256(join(RELEASE, name))}  ${name}\n`))
  const sums = join(RELEASE, 'SHA256SUMS')
  await writeFile(sums, lines.join(''))
  await rm(`${sums}.asc`, { force: true })
  if (signer !== null) signer.detached(sums, `${sums}.asc`)
  else console.log('SHA256SUMS is not signed: give a key with --key FILE')
}

async function signerOf(keyFile: string): Promise<Signer> {
  try {
    return await openSigner(keyFile)
  } catch (error) {
    console.error(`error: ${(error as Error).message}`)
    process.exit(1)
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

const work = await mkdtemp(join(tmpdir(), 'tocsin-release-'))
const signer = values.key === undefined ? null : await signerOf(values.key)
let incomplete = false
try {
  await mkdir(RELEASE, { recursive: true })
  for (const name of await readdir(RELEASE)) {
    if (isProduct(name) || name.startsWith('SHA256SUMS')) await rm(join(RELEASE, name))
  }
  await describeContents()
  const changelog = await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8')
  await writeFile(join(RELEASE, 'RELEASE-NOTES.md'), releaseNotes(changelog, version))
  for (const [part, make] of Object.entries(makers)) {
    if (!wanted.has(part)) continue
    const missing = Object.entries(NEEDS[part]!).filter(([program]) => !has(program))
    if (missing.length > 0) {
      console.log(`${part}: not built; apt-get install ${missing.map(([, name]) => name).join(' ')}`)
      incomplete = true
      continue
    }
    for (const name of await make(work)) {
      console.log(`release/${name}  ${megabytes((await stat(join(RELEASE, name))).size)}`)
    }
  }
  await writeSums(signer)
  if (values.apt !== undefined) {
    await makeRepository(values.apt, signer!)
    console.log(`${values.apt}: an apt repository; its key is tocsin.asc there`)
  }
} finally {
  await signer?.close()
  await rm(work, { recursive: true, force: true })
}
process.exitCode = incomplete ? 1 : 0
