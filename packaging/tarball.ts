import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../build/sources.ts'
import { RELEASE, run, version } from './release.ts'
import { layTree, settle } from './tree.ts'

const ABOUT = `# Tocsin ${version}

A self-hosted, all-in-one service for emergency SOS alerts. This plays one SOS from start to end in a terminal:

    npx ./tocsin-${version}.tgz demo

The documentation is in tocsin-${version}-docs.tgz of the same release.
`

/**
 * `release/tocsin-VERSION.tgz`, which `npx ./tocsin-VERSION.tgz demo` runs. Returns its name. It holds the build for
 * both processors, and asks the registry only for the Node of the machine that it is installed on.
 */
export async function makeTarball(work: string): Promise<string> {
  const root = join(work, 'npm')
  await rm(root, { recursive: true, force: true })
  await layTree(root, 'every')
  await writeFile(join(root, 'README.md'), ABOUT)
  await cp(join(RELEASE, 'THIRD-PARTY-NOTICES'), join(root, 'THIRD-PARTY-NOTICES'))
  const { bin, description, engines, license, name, optionalDependencies, type } = JSON.parse(
    await readFile(join(ROOT, 'package.json'), 'utf8'),
  )
  const { commit } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const bundled = run('sh', ['-c', 'ls -d [!@]* @*/* 2>/dev/null'], { cwd: join(root, 'node_modules') })
    .trim()
    .split('\n')
  const dependencies: Record<string, string> = {}
  for (const one of bundled) {
    const own = JSON.parse(await readFile(join(root, 'node_modules', one, 'package.json'), 'utf8'))
    dependencies[one] = own.version
  }
  const manifest = {
    ...{ name, version, commit, description, license, type, engines, bin },
    os: ['linux'],
    dependencies,
    bundleDependencies: Object.keys(dependencies),
    optionalDependencies,
  }
  await writeFile(join(root, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  // npm keeps the modes, which the umask has given.
  await settle(root)
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', RELEASE], { cwd: root })
  await rm(root, { recursive: true })
  return `tocsin-${version}.tgz`
}
