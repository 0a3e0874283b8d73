import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { ROOT } from './sources.ts'

const SDK = join(ROOT, 'sdk')
/** The imports of an app, and the file of each. */
const ENTRIES = { '.': 'src/index', './server': 'server/index', './fake': 'fake/index' } as const

/**
 * Writes the SDK as npm installs it to `path`: the modules, each with its imports from the others, and their types. The
 * same sources give the same bytes.
 */
export async function buildSdk(path: string): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: SDK,
    entryPoints: Object.values(ENTRIES).map((entry) => `${entry}.ts`),
    outdir: 'out',
    outbase: '.',
    chunkNames: 'src/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    external: ['node:crypto'],
    write: false,
    logLevel: 'error',
  })
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  const { private: _, exports: __, ...own } = JSON.parse(await readFile(join(SDK, 'package.json'), 'utf8'))
  const exports = Object.fromEntries(
    Object.entries(ENTRIES).map(([name, entry]) => [
      name,
      { types: `./types/${entry}.d.ts`, default: `./${entry}.js` },
    ]),
  )
  const files = new Map([['package.json', `${JSON.stringify({ ...own, version, exports }, null, 2)}\n`]])
  for (const { path, text } of outputFiles) files.set(path.slice(join(SDK, 'out/').length), text)
  for (const name of await readdir(join(SDK, 'types'), { recursive: true })) {
    if (name.endsWith('.d.ts')) files.set(`types/${name}`, await readFile(join(SDK, 'types', name), 'utf8'))
  }
  files.set('README.md', await readFile(join(SDK, 'README.md'), 'utf8'))
  await writeFile(path, packed(files))
}

const BLOCK = 512

/** A tarball as npm writes one: everything below `package`, sorted, of the same moment. */
function packed(files: ReadonlyMap<string, string>): Buffer {
  const parts = [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, text]) => {
      const bytes = Buffer.from(text)
      return [headOf(`package/${name}`, bytes.length), bytes, Buffer.alloc(-bytes.length & (BLOCK - 1))]
    })
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 9 })
}

/** 26 October 1985, as npm has it. */
const MOMENT = 499_162_500

/** https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html, ustar Interchange Format. */
function headOf(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name}: too long for a tarball`)
  const head = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`
  head.write(name, 0)
  head.write(octal(0o644, 7) + octal(0, 7) + octal(0, 7) + octal(size, 11) + octal(MOMENT, 11), 100)
  // The sum is taken with spaces in its place.
  head.write('        0', 148)
  head.write('ustar\x0000', 257)
  head.write(
    `${octal(
      head.reduce((sum, byte) => sum + byte, 0),
      6,
    )} `,
    148,
  )
  return head
}
