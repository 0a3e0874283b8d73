import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../build/sources.ts'
import { completeLayout } from './oci.ts'
import { epoch, PROCESSORS, type Processor, RELEASE, run, version } from './release.ts'
import { layTree, settle } from './tree.ts'

/** Of nobody on the machine outside. */
const USER = 65532
const DATA = '/var/lib/tocsin'
const SPOOL = ['inbox', 'outbox', 'sent', 'error']
const HOME = '/usr/lib/tocsin'
const CONFIG = '/etc/tocsin/tocsin.yaml'
/** Node brings the rest itself, certificates and time zones too: there is no shell and no package manager. */
const PACKAGES = ['libc6', 'libgcc-s1', 'libstdc++6']
/** Links that every Debian has, and that no package of these brings. https://wiki.debian.org/UsrMerge */
const MERGED = ['lib', 'lib64']
const SUITE = 'trixie'
/** No registry of others can answer for this host, so an engine that does not have the image fetches none. */
const NAME = `localhost/tocsin:${version}`
const SECOND_NS = 1e9
/** As Docker reads it. A migration of a large database takes its time. */
const HEALTH = {
  Test: ['CMD', 'tocsin', 'health'],
  Interval: 30 * SECOND_NS,
  Timeout: 10 * SECOND_NS,
  StartPeriod: 600 * SECOND_NS,
  Retries: 3,
}

/** What a site starts the image with: copies of `packaging/containers`, and a configuration. Returns their names. */
export async function layContainers(): Promise<readonly string[]> {
  const from = join(ROOT, 'packaging', 'containers')
  const example = 'tocsin.example.yaml'
  await cp(from, RELEASE, { recursive: true })
  await cp(join(ROOT, 'config', example), join(RELEASE, example))
  return [...(await readdir(from)), example].sort()
}

/** What `bin/tocsin` starts Node with: one option, all that a first line has room for. */
async function nodeOption(): Promise<string> {
  const [, option] =
    /^exec "\$here\/node" (--\S+) "\$here/m.exec(await readFile(join(ROOT, 'bin/tocsin'), 'utf8')) ?? []
  if (option === undefined) throw new Error('bin/tocsin names no option of Node')
  return option
}

/**
 * `release/tocsin-VERSION-ARCHITECTURE.oci.tar`, an image for Podman, Docker and Kubernetes. Returns its name. Debian's
 * packages are only unpacked, so it is built for any processor; nothing of it is run.
 */
export async function makeImage(processor: Processor, work: string, quick: boolean): Promise<string> {
  const architecture = PROCESSORS[processor]
  const root = join(work, `image-${architecture}`)
  await rm(root, { recursive: true, force: true })
  await mkdir(root, { recursive: true })
  run('mmdebstrap', [
    ...['--variant=extract', `--architectures=${architecture}`, `--include=${PACKAGES.join(',')}`],
    ...['--dpkgopt=path-exclude=/usr/share/{doc,man,locale,info,lintian}/*', SUITE, root],
  ])
  for (const path of ['var', 'dev', 'etc/apt', 'usr/share/doc', 'usr/share/man', 'usr/share/locale']) {
    await rm(join(root, path), { recursive: true, force: true })
  }
  for (const name of MERGED) await symlink(`usr/${name}`, join(root, name))
  await layTree(join(root, HOME), processor)
  await cp(join(RELEASE, 'THIRD-PARTY-NOTICES'), join(root, HOME, 'THIRD-PARTY-NOTICES'))
  await writeFile(join(root, 'etc/passwd'), `tocsin:x:${USER}:${USER}:Tocsin:${DATA}:/nonexistent\n`)
  await writeFile(join(root, 'etc/group'), `tocsin:x:${USER}:\n`)
  // Without a shell, a command is a program: its first line names Node.
  const node = `${HOME}/node_modules/node-linux-${processor}/bin/node`
  const launcher = await readFile(join(ROOT, 'bin/tocsin.js'), 'utf8')
  const option = await nodeOption()
  await writeFile(join(root, HOME, 'bin/tocsin.js'), launcher.replace(/^#!.*/, `#!${node} ${option}`), { mode: 0o755 })
  await mkdir(join(root, 'usr/bin'), { recursive: true })
  await symlink('../lib/tocsin/bin/tocsin.js', join(root, 'usr/bin/tocsin'))
  await mkdir(join(root, 'tmp'), { recursive: true })
  // What a new volume begins with: a modem's daemon shares the folders.
  for (const path of [DATA, ...SPOOL.map((folder) => `/var/spool/tocsin-sms/${folder}`)]) {
    await mkdir(join(root, path), { recursive: true })
  }
  for (const path of ['etc/tocsin', 'run/secrets', 'dev', 'proc', 'sys'])
    await mkdir(join(root, path), { recursive: true })
  // Every setting in a comment: the defaults, until a site mounts its own file here.
  await cp(join(ROOT, 'config/tocsin.example.yaml'), join(root, CONFIG))
  await settle(root)
  // Copies keep the owner of a checkout that is another user's.
  run('chown', ['-hR', '0:0', root])
  run('chmod', ['1777', join(root, 'tmp')])
  for (const path of [DATA, '/var/spool/tocsin-sms']) {
    run('chown', ['-R', `${USER}:${USER}`, join(root, path)])
    run('chmod', ['-R', '0700', join(root, path)])
  }

  const file = `tocsin-${version}-${architecture}.oci.tar`
  await rm(join(RELEASE, file), { force: true })
  const storage = ['--root', join(work, 'storage'), '--runroot', join(work, 'run'), '--storage-driver', 'vfs']
  const buildah = (...args: readonly string[]): string => run('buildah', [...storage, ...args]).trim()
  const container = buildah('from', '--arch', architecture, 'scratch')
  // Not `add`, which gives everything to root.
  run('cp', ['-a', `${root}/.`, buildah('mount', container)])
  const environment = [
    `TOCSIN_CONFIG=${CONFIG}`,
    `TOCSIN_DATA_DIR=${DATA}`,
    'CREDENTIALS_DIRECTORY=/run/secrets',
    'NODE_ENV=production',
  ]
  buildah(
    'config',
    ...['--arch', architecture, '--os', 'linux', '--user', `${USER}:${USER}`, '--workingdir', DATA],
    ...['--entrypoint', JSON.stringify([node, option, `${HOME}/bin/tocsin.js`]), '--cmd', 'start'],
    ...['--volume', DATA, '--stop-signal', 'SIGTERM'],
    ...environment.flatMap((one) => ['--env', one]),
    ...['--label', 'org.opencontainers.image.title=Tocsin', '--label', `org.opencontainers.image.version=${version}`],
    ...['--created-by', 'tocsin', '--history-comment', ''],
    container,
  )
  buildah('commit', '--timestamp', `${epoch}`, '--format', 'oci', container, `tocsin:${version}-${architecture}`)
  // Not `oci-archive`, which gives its files the time of now.
  const layout = join(work, `layout-${architecture}`)
  buildah(
    'push',
    ...(quick ? ['--compression-level', '1'] : []),
    `tocsin:${version}-${architecture}`,
    `oci:${layout}:${NAME}`,
  )
  await completeLayout(layout, NAME, { Healthcheck: HEALTH })
  await settle(layout)
  const plain = ['--sort=name', '--format=gnu', '--owner=0', '--group=0', '--numeric-owner']
  run('tar', ['-cf', join(RELEASE, file), ...plain, '-C', layout, '.'])
  buildah('rm', container)
  await rm(root, { recursive: true })
  await rm(layout, { recursive: true })
  return file
}
