import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { type Bundle, bundleFingerprint, MANIFEST, type Manifest } from '../src/adapters/platform/console/sources.ts'

/** Phones that get no new browser, too. */
const COMMON = {
  bundle: true,
  format: 'esm',
  target: ['chrome107', 'firefox104', 'safari16'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  legalComments: 'none',
  write: false,
  logLevel: 'error',
} as const satisfies BuildOptions

type Parts = {
  /** A script and a style, below the root. */
  readonly entries: readonly string[]
  /** Whether what the script imports by `import()` comes in files of its own, loaded when it is used. */
  readonly onDemand?: boolean
  readonly pageOf: (script: string, style: string) => string
  /** A script that keeps its name, and knows those of all others (`ASSETS`). */
  readonly worker?: { readonly entry: string; readonly name: string }
  /** Further files, under their own names. */
  readonly files?: Readonly<Record<string, string>>
}

/** Builds what browsers load, and removes the build before it. */
export async function buildBundle(
  bundle: Bundle,
  { entries, onDemand = false, pageOf, worker, files = {} }: Parts,
): Promise<void> {
  const { root, built } = bundle
  const read = await bundleFingerprint(bundle)
  const { outputFiles, metafile } = await build({
    ...COMMON,
    splitting: onDemand,
    loader: { '.woff2': 'file' },
    metafile: true,
    absWorkingDir: root,
    entryPoints: [...entries],
    outdir: built,
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
  })
  const assets = outputFiles.map(({ path }) => basename(path))
  const nameOf = (entry: string): string =>
    basename(Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry)![0])
  await mkdir(built, { recursive: true })
  for (const { path, contents } of outputFiles) await writeFile(path, contents)
  // Under its hash as well: a page never names files of another build, whichever of two that run at once ends last.
  const page = `page-${read.slice(0, 12)}.html`
  await writeFile(join(built, page), pageOf(nameOf(entries[0]!), nameOf(entries[1]!)))
  if (worker !== undefined) {
    const define = { ASSETS: JSON.stringify(assets), BUILD: JSON.stringify(read.slice(0, 12)) }
    const made = await build({ ...COMMON, absWorkingDir: root, entryPoints: [worker.entry], define })
    await writeFile(join(built, worker.name), made.outputFiles[0]!.contents)
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(built, name), content)
  const kept = [page, ...assets, ...(worker === undefined ? [] : [worker.name]), ...Object.keys(files)]
  const manifest: Manifest = { sources: read, page, assets: kept.slice(1) }
  const unfinished = join(built, `${MANIFEST}.${process.pid}`)
  await writeFile(unfinished, JSON.stringify(manifest))
  await rename(unfinished, join(built, MANIFEST))
  for (const name of await readdir(built)) {
    if (/-[A-Z0-9]{8}\.(js|css|woff2)$|^page-/.test(name) && !kept.includes(name))
      await rm(join(built, name), { force: true })
  }
}
