import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ROOT } from '../build/sources.ts'
import { newestSchema } from '../src/adapters/stores/shared/migrations.ts'
import { completion, manual } from './commands.ts'
import { epoch, PROCESSORS, type Processor, RELEASE, run, version } from './release.ts'
import { layTree, settle } from './tree.ts'

const DEBIAN = join(ROOT, 'packaging', 'debian')
const MAINTAINER = 'Tocsin <tocsin@localhost>'
const HOME = 'usr/lib/tocsin'
/** Where `systemd/` has the program, and where the package has it. */
const OPT = /\/opt\/tocsin\b/g

/** What lintian is wrong about here, each with its reason. https://lintian.debian.org/manual/ */
const OVERRIDES = [
  '# A whole Node.js of its own: the distribution has none that is new enough.',
  'tocsin: embedded-library',
  'tocsin: unstripped-binary-or-object',
  '# As its makers built it, so that its checksum can be compared.',
  'tocsin: hardening-no-pie',
  '# Of systemctl only what reads; deb-systemd-invoke starts and stops. When going back, a version that may not run is stopped.',
  'tocsin: maintainer-script-calls-systemctl',
  '# The owner has published no address yet.',
  'tocsin: bogus-mail-host',
  'tocsin: bogus-mail-host-in-debian-changelog',
  '',
].join('\n')

/** `release/tocsin_VERSION_ARCHITECTURE.deb`. Returns its name. Builds for any processor: nothing of the package is run. */
export async function makeDeb(processor: Processor, work: string, quick: boolean): Promise<string> {
  const architecture = PROCESSORS[processor]
  const root = join(work, `deb-${architecture}`)
  const put = async (path: string, content: string | Buffer): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  const text = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8')
  await rm(root, { recursive: true, force: true })
  await layTree(join(root, HOME), processor)

  // Run by its own Node, through bin/tocsin: by itself it would look for one on the PATH.
  const launcher = join(root, HOME, 'bin/tocsin.js')
  const code = (await readFile(launcher, 'utf8')).replace(/^#!.*\n/, '')
  await rm(launcher)
  await writeFile(launcher, code)
  const installed = (source: string): string => source.replaceAll(OPT, `/${HOME}`)
  await put('usr/lib/systemd/system/tocsin.service', unit(installed(await text('systemd/tocsin.service'))))
  await put('usr/bin/tocsin', installed(await text('systemd/tocsin')))
  await chmod(join(root, 'usr/bin/tocsin'), 0o755)
  await put('usr/lib/sysusers.d/tocsin.conf', await text('packaging/debian/sysusers.conf'))
  await put('etc/apt/apt.conf.d/52tocsin', await text('packaging/debian/no-unattended-upgrades'))
  // The same in every version, so that no upgrade asks what should become of an operator's file.
  await put('etc/tocsin/tocsin.yaml', await text('packaging/debian/tocsin.yaml'))

  const documents = 'usr/share/doc/tocsin'
  for (const name of ['docs', 'README.md']) await cp(join(ROOT, name), join(root, documents, name), { recursive: true })
  await cp(join(ROOT, 'CHANGELOG.md'), join(root, documents, 'CHANGELOG.md'))
  await put(`${documents}/changelog.gz`, gzipSync(debianChangelog(), { level: 9 }))
  await put(`${documents}/copyright`, await text('packaging/debian/copyright'))
  await cp(join(RELEASE, 'THIRD-PARTY-NOTICES'), join(root, documents, 'THIRD-PARTY-NOTICES'))
  await put('usr/share/man/man1/tocsin.1.gz', gzipSync(manual(), { level: 9 }))
  await put('usr/share/bash-completion/completions/tocsin', completion())
  await put('usr/share/lintian/overrides/tocsin', OVERRIDES)

  await settle(root)
  const kilobytes = run('du', ['-sk', '--apparent-size', root]).split('\t')[0]!
  const control = (await text('packaging/debian/control.in'))
    .replace('@VERSION@', version)
    .replace('@ARCHITECTURE@', architecture)
    .replace('@SIZE@', kilobytes)
    .replace('@MAINTAINER@', MAINTAINER)
  await put('DEBIAN/control', control)
  await put('DEBIAN/conffiles', '/etc/tocsin/tocsin.yaml\n/etc/apt/apt.conf.d/52tocsin\n')
  for (const name of ['preinst', 'postinst', 'prerm', 'postrm']) {
    await put(`DEBIAN/${name}`, await maintainerScript(name, version))
    await chmod(join(root, 'DEBIAN', name), 0o755)
  }
  await put('DEBIAN/md5sums', sums(root))
  await settle(root)

  const file = `tocsin_${version}_${architecture}.deb`
  // xz takes a minute of the processor for Node alone; lintian refuses zstd.
  const compression = quick ? ['-Zgzip', '-z3'] : ['-Zxz']
  run('dpkg-deb', ['--build', '--root-owner-group', ...compression, root, join(RELEASE, file)])
  await rm(root, { recursive: true })
  return file
}

/** A script of `packaging/debian` with what it includes, for a version. */
async function maintainerScript(name: string, version: string): Promise<string> {
  const script = await readFile(join(DEBIAN, name), 'utf8')
  const backUp = await readFile(join(ROOT, 'systemd/back-up.sh'), 'utf8')
  return script
    .replace('@BACK_UP@\n', () => backUp)
    .replaceAll('@VERSION@', version)
    .replace('@SQLITE_SCHEMA@', `${newestSchema('sqlite')}`)
    .replace('@POSTGRES_SCHEMA@', `${newestSchema('postgres')}`)
}

/** Debian's form, which says where operators read what has changed. */
const debianChangelog = (): string =>
  `tocsin (${version}) stable; urgency=medium\n\n  * See CHANGELOG.md beside this file.\n\n -- ${MAINTAINER}  ${new Date(epoch * 1000).toUTCString().replace('GMT', '+0000')}\n`

/** Its documentation lies elsewhere than beside the program. */
const unit = (text: string): string =>
  text.replace(/^Documentation=.*$/m, 'Documentation=file:///usr/share/doc/tocsin/docs/operating.md')

/** What `dpkg --verify` compares, of all but configuration. */
const sums = (root: string): string =>
  run('sh', ['-c', 'find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum'], { cwd: root })
