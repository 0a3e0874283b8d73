import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { copyFile, link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { buildConsole } from '../console/build.ts'
import { DIST, fingerprint, isFresh, ROOT, STAMP } from './sources.ts'

/**
 * `npm run build`: makes `dist`, a whole installation that needs nothing else of this checkout:
 *
 *     bin/      the commands                 config/        tables, and the configuration to begin with
 *     js/       the service, in modules      console/       the operators' console
 *     node_modules/   what cannot be bundled: Node, SQLite's native part, files that browsers load
 *
 * Nothing is left of a build before it, except for the files of consoles that are open.
 */

/** `src` becomes `js`, at the same depth: src/lib/installation.ts counts on it. */
const ENTRIES = [
  'main',
  'lib/installation',
  'service/backup/backup-process',
  'adapters/stores/sqlite/writer/writer-thread',
  'adapters/stores/sqlite/engine/checkpoint-thread',
  'adapters/stores/sqlite/upkeep/figures-thread',
  'adapters/stores/sqlite/upkeep/quick-check-thread',
]

/** Files that are read while the service runs, besides code. Folders are taken whole. */
const BESIDE_CODE = [
  'adapters/stores/sqlite/migrations',
  'adapters/stores/postgres/migrations',
  'adapters/inbound/http/map/browser/map.js',
  'adapters/inbound/http/map/browser/map.css',
  'adapters/inbound/http/tracking/browser/live.js',
]
const CONFIG = ['country-grid.br', 'lora-regions.json', 'tocsin.example.yaml', 'world-outline.br']

/**
 * Of packages that are not bundled, the files that are needed. The two database drivers stay packages: one is native,
 * and both are watched from outside where a test kills the service at a commit.
 */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['package.json', 'LICENSE', 'lib', 'prebuilds/linux-x64.node', 'prebuilds/linux-arm64.node'],
  ...Object.fromEntries(withDependencies('pg').map((name): [string, readonly string[]] => [name, ['.']])),
  leaflet: ['package.json', 'LICENSE', 'dist/leaflet.js', 'dist/leaflet.css'],
  'protomaps-leaflet': ['package.json', 'LICENSE', 'dist/protomaps-leaflet.js'],
  '@fastify/swagger-ui': ['package.json', 'LICENSE', 'index.js', 'static'],
  [`node-linux-${process.arch}`]: ['package.json', 'bin/node'],
}

/** The messages of zod in 64 languages, which its index imports and nothing here asks for: it has its English ones. */
const withoutLocales: Plugin = {
  name: 'without-locales',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/].*[\\/]locales[\\/]index\.js$/ }, () => ({ contents: '', loader: 'js' }))
  },
}

/** The package, and all that it depends on. */
function withDependencies(name: string, known: readonly string[] = []): readonly string[] {
  if (known.includes(name)) return known
  const { dependencies = {} } = JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'))
  let all: readonly string[] = [...known, name]
  for (const next of Object.keys(dependencies)) all = withDependencies(next, all)
  return all
}

/** A link, where both are on one disk: Node alone has 120 MB. */
async function place(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true }).catch(() => null)
  if (entries !== null) {
    for (const { name } of entries) await place(join(from, name), join(to, name))
    return
  }
  await mkdir(dirname(to), { recursive: true })
  await link(from, to).catch(() => copyFile(from, to))
}

/** Written in any case: a commit may change nothing that is built. SOURCE_COMMIT: of sources without their history. */
async function describe(): Promise<void> {
  const { name, version, description, license, type, engines } = JSON.parse(
    await readFile(join(ROOT, 'package.json'), 'utf8'),
  )
  const { status, stdout } = spawnSync('git', ['-C', ROOT, 'rev-parse', '--short=12', 'HEAD'], { encoding: 'utf8' })
  const commit = process.env.SOURCE_COMMIT || (status === 0 ? stdout.trim() : null)
  const own = { name, version, commit, description, license, type, engines }
  await writeFile(join(DIST, 'package.json'), `${JSON.stringify(own, null, 2)}\n`)
}

if (await isFresh()) {
  await describe()
  console.log('dist is up to date')
  process.exit(0)
}
const began = performance.now()
const sources = await fingerprint()
for (const name of ['sources', 'bin', 'js', 'config', 'node_modules', 'package.json']) {
  await rm(join(DIST, name), { recursive: true, force: true })
}
await buildConsole()
await build({
  absWorkingDir: ROOT,
  entryPoints: ENTRIES.map((name) => `src/${name}.ts`),
  outbase: 'src',
  outdir: join(DIST, 'js'),
  chunkNames: 'lib/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: ['better-sqlite3', 'pg'],
  plugins: [withoutLocales],
  // Packages of the older kind ask for Node's own modules by `require`, which a module does not have by itself.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  sourcemap: 'linked',
  sourcesContent: false,
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
})
for (const path of BESIDE_CODE) await place(join(ROOT, 'src', path), join(DIST, 'js', path))
for (const name of CONFIG) await place(join(ROOT, 'config', name), join(DIST, 'config', name))
await place(join(ROOT, 'bin'), join(DIST, 'bin'))
for (const [name, files] of Object.entries(PACKAGES)) {
  for (const file of files) await place(join(ROOT, 'node_modules', name, file), join(DIST, 'node_modules', name, file))
}
await describe()
await writeFile(STAMP, sources)
console.log(`built dist in ${((performance.now() - began) / 1000).toFixed(1)} s`)
