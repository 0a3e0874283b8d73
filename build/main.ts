import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { copyFile, link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { buildConsole } from '../console/build.ts'
import { buildApp } from '../webapp/build.ts'
import { buildSdk } from './sdk.ts'
import { DIST, fingerprint, isFresh, MAPS, ROOT, STAMP } from './sources.ts'
import { together } from './together.ts'

/**
 * `npm run build`: makes `dist`, a whole installation that needs nothing else of this checkout:
 *
 *     bin/      the commands                 config/        tables, and the configuration to begin with
 *     js/       the service, in modules      console/       the operators' console
 *     sdk.tgz   the SDK for apps               app/          the app in the box
 *     node_modules/   packages that cannot be bundled: Node, the database drivers, files that browsers load
 *     maps/     from the code to its source: no part of an installation
 *
 * Nothing is left of a build before it, except for the files of consoles and apps that are open.
 */

/** `src` becomes `js`, at the same depth: src/lib/installation.ts counts on it. */
const ENTRIES = ['main', 'lib/installation']

/** Programs with a thread or process of their own: `js/lib/NAME.js`, one file each with all of its code. */
const APART = [
  'service/backup/backup-process',
  'adapters/stores/sqlite/writer/writer-thread',
  'adapters/stores/sqlite/engine/checkpoint-thread',
  'adapters/stores/sqlite/upkeep/figures-thread',
  'adapters/stores/sqlite/upkeep/quick-check-thread',
]

/** Files that are read while the service runs, besides code. Folders are taken whole. */
const BESIDE_CODE = [
  'adapters/inbound/http/map/browser/map.js',
  'adapters/inbound/http/map/browser/map.css',
  'adapters/inbound/http/tracking/browser/live.js',
]
const ENGINES = ['sqlite', 'postgres']
const CONFIG = ['country-grid.br', 'lora-regions.json', 'tocsin.example.yaml', 'world-outline.br']

/**
 * The database drivers stay packages, with their code in one file: one has a native part, and both are watched from
 * outside where a test kills the service at a commit.
 */
const DRIVERS = ['better-sqlite3', 'pg']

/** Of packages that are not code of the service, the files that are needed. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['LICENSE', 'prebuilds/linux-x64.node', 'prebuilds/linux-arm64.node'],
  pg: ['LICENSE'],
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

async function moveMaps(): Promise<void> {
  const js = join(DIST, 'js')
  await mkdir(join(MAPS, 'lib'), { recursive: true })
  for (const name of await readdir(js, { recursive: true })) {
    if (name.endsWith('.map')) await rename(join(js, name), join(MAPS, name))
  }
  await place(join(ROOT, 'build/trace.mts'), join(MAPS, 'trace.mts'))
}

async function placeDriver(name: string): Promise<void> {
  const own = join(ROOT, 'node_modules', name)
  const to = join(DIST, 'node_modules', name)
  await build({
    entryPoints: [createRequire(import.meta.url).resolve(name)],
    outfile: join(to, 'lib/index.js'),
    bundle: true,
    platform: 'node',
    target: 'node24',
    // Never asked for here, and not installed.
    external: ['pg-native', 'pg-cloudflare'],
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'warning',
  })
  const { version, license } = JSON.parse(await readFile(join(own, 'package.json'), 'utf8'))
  const described = { name, version, license, main: 'lib/index.js' }
  await writeFile(join(to, 'package.json'), `${JSON.stringify(described, null, 2)}\n`)
}

/** The migrations of both engines in one file: src/adapters/stores/shared/migrations.ts. */
async function placeMigrations(): Promise<void> {
  const all: Record<string, Record<string, string>> = {}
  for (const engine of ENGINES) {
    const own = join(ROOT, 'src/adapters/stores', engine, 'migrations')
    const names = (await readdir(own)).sort()
    all[engine] = Object.fromEntries(names.map((name) => [name, readFileSync(join(own, name), 'utf8')]))
  }
  await writeFile(join(DIST, 'js/migrations.json'), JSON.stringify(all))
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
for (const name of ['sources', 'bin', 'js', 'maps', 'config', 'node_modules', 'package.json', 'sdk.tgz']) {
  await rm(join(DIST, name), { recursive: true, force: true })
}
await buildConsole()
await buildApp()
const common = {
  absWorkingDir: ROOT,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: DRIVERS,
  // Packages of the older kind ask for Node's own modules by `require`, which a module does not have by itself.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  sourcemap: 'external',
  sourcesContent: false,
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
} as const satisfies BuildOptions
await build({
  ...common,
  entryPoints: ENTRIES.map((name) => `src/${name}.ts`),
  outbase: 'src',
  outdir: join(DIST, 'js'),
  chunkNames: 'lib/[name]-[hash]',
  splitting: true,
  plugins: [withoutLocales, together],
})
await build({
  ...common,
  entryPoints: APART.map((name) => `src/${name}.ts`),
  outdir: join(DIST, 'js', 'lib'),
  entryNames: '[name]',
  plugins: [withoutLocales],
})
await moveMaps()
for (const name of DRIVERS) await placeDriver(name)
await placeMigrations()
for (const path of BESIDE_CODE) await place(join(ROOT, 'src', path), join(DIST, 'js', path))
for (const name of CONFIG) await place(join(ROOT, 'config', name), join(DIST, 'config', name))
await place(join(ROOT, 'bin'), join(DIST, 'bin'))
for (const [name, files] of Object.entries(PACKAGES)) {
  for (const file of files) await place(join(ROOT, 'node_modules', name, file), join(DIST, 'node_modules', name, file))
}
await buildSdk(join(DIST, 'sdk.tgz'))
await describe()
await writeFile(STAMP, sources)
console.log(`built dist in ${((performance.now() - began) / 1000).toFixed(1)} s`)
