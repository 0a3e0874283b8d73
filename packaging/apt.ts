import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { epoch, PROCESSORS, RELEASE, run } from './release.ts'

const SUITE = 'stable'
const ORIGIN = 'Tocsin'

/** Signs as the owner of a private OpenPGP key in a file (armored, without a passphrase). */
export type Signer = {
  /** Writes `to`, an armored signature of the file beside it. */
  detached(file: string, to: string): void
  /** Writes `to`, the text of the file with its signature. */
  inline(file: string, to: string): void
  /** The public key, as apt's `Signed-By` reads it. */
  readonly publicKey: string
  close(): Promise<void>
}

export async function openSigner(keyFile: string): Promise<Signer> {
  const home = await mkdtemp(join(tmpdir(), 'tocsin-key-'))
  const gpg = (...args: readonly string[]): string => run('gpg', ['--homedir', home, '--batch', '--yes', ...args])
  try {
    try {
      gpg('--import', keyFile)
    } catch (error) {
      throw new Error(`${keyFile} holds no private OpenPGP key: ${gpgSays(error)}`)
    }
    const at = Math.max(epoch, madeAt(gpg('--with-colons', '--list-secret-keys'), keyFile))
    const sign = (...args: readonly string[]): string =>
      gpg('--faked-system-time', `${at}!`, '--pinentry-mode', 'loopback', '--passphrase', '', '--armor', ...args)
    try {
      const trial = join(home, 'trial')
      await writeFile(trial, '')
      sign('--output', `${trial}.asc`, '--detach-sign', trial)
    } catch (error) {
      throw new Error(`the key in ${keyFile} does not sign; export one without a passphrase: ${gpgSays(error)}`)
    }
    return {
      detached: (file, to) => void sign('--output', to, '--detach-sign', file),
      inline: (file, to) => void sign('--output', to, '--clear-sign', file),
      publicKey: gpg('--armor', '--export'),
      close: () => closeHome(home),
    }
  } catch (error) {
    await closeHome(home)
    throw error
  }
}

/**
 * When the private key was made, in seconds: it signs nothing from before. Throws if there is none, or if apt would
 * refuse it today. Fields: https://github.com/gpg/gnupg/blob/master/doc/DETAILS
 */
function madeAt(listed: string, keyFile: string): number {
  const secret = listed.split('\n').find((line) => line.startsWith('sec:'))
  if (secret === undefined) throw new Error(`${keyFile} holds no private OpenPGP key`)
  const [, validity, , , , made] = secret.split(':')
  if (validity === 'e')
    throw new Error(`the key in ${keyFile} has expired: extend it (gpg --quick-set-expire), export it again`)
  return Number(made)
}

const gpgSays = (error: unknown): string => /gpg: (.*)\n?$/.exec((error as Error).message)?.[1] ?? ''

async function closeHome(home: string): Promise<void> {
  run('gpgconf', ['--homedir', home, '--kill', 'all'])
  await rm(home, { recursive: true, force: true })
}

/**
 * An apt repository of the packages in `release/` at `to`, for a web server or a stick: `deb [signed-by=…] URL stable
 * main`. Packages of earlier releases that are there already stay.
 */
export async function makeRepository(to: string, signer: Signer): Promise<void> {
  const pool = join(to, 'pool')
  await mkdir(pool, { recursive: true })
  for (const name of await readdir(RELEASE)) {
    if (name.endsWith('.deb')) await cp(join(RELEASE, name), join(pool, name))
  }
  const suite = join(to, 'dists', SUITE)
  for (const architecture of Object.values(PROCESSORS)) {
    const packages = run('dpkg-scanpackages', ['--multiversion', '--arch', architecture, 'pool'], { cwd: to })
    const folder = join(suite, 'main', `binary-${architecture}`)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'Packages'), packages)
    await writeFile(join(folder, 'Packages.gz'), gzipSync(packages, { level: 9 }))
  }
  for (const name of ['Release', 'InRelease', 'Release.gpg']) await rm(join(suite, name), { force: true })
  const fields = {
    Origin: ORIGIN,
    Label: ORIGIN,
    Suite: SUITE,
    Codename: SUITE,
    Architectures: Object.values(PROCESSORS).join(' '),
    Components: 'main',
  }
  const given = Object.entries(fields).flatMap(([name, value]) => ['-o', `APT::FTPArchive::Release::${name}=${value}`])
  await writeFile(join(suite, 'Release'), run('apt-ftparchive', [...given, 'release', suite]))
  signer.detached(join(suite, 'Release'), join(suite, 'Release.gpg'))
  signer.inline(join(suite, 'Release'), join(suite, 'InRelease'))
  await writeFile(join(to, 'tocsin.asc'), signer.publicKey)
  // For apt's own user and a web server's, whatever the umask.
  run('chmod', ['-R', 'u=rwX,go=rX', to])
}
