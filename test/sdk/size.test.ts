import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const MAX_BYTES = 12 * 1024

async function bundled(entry: string): Promise<string> {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL(`../../sdk/${entry}`, import.meta.url))],
    ...{ bundle: true, format: 'esm', minify: true, target: 'es2022', write: false, metafile: true, logLevel: 'error' },
  })
  assert.deepEqual(
    Object.keys(metafile.inputs).filter((path) => path.includes('node_modules')),
    [],
  )
  return outputFiles[0]!.text
}

test('the SDK has at most 12 kB compressed, depends on nothing, and a bundler for browsers takes it', async (t) => {
  const code = await bundled('src/index.ts')
  const { length } = gzipSync(code, { level: 9 })
  t.diagnostic(`${length} bytes`)
  assert.ok(length <= MAX_BYTES, `${length} bytes`)
  // A bundler would look for either, and a browser has neither.
  assert.doesNotMatch(code, /from"|import"|import\("/)
})
