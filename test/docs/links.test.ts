import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { blocksOf } from './page.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: root })]

/** GitHub's anchor for a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

function withoutBlocks(text: string): string {
  return blocksOf(text).reduce((rest, block) => rest.replace(block.text, ''), text)
}

const textOf = (page: string): string => withoutBlocks(readFileSync(join(root, page), 'utf8'))

const anchorsOf = (page: string): ReadonlySet<string> => {
  const text = textOf(page)
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading!))
  const explicit = [...text.matchAll(/^<a id="([^"]+)"><\/a>$/gm)].map(([, id]) => id!)
  return new Set([...headings, ...explicit])
}

test('every link between the pages, and into the code, has a target', () => {
  const broken = pages.flatMap((page) => {
    const text = textOf(page)
    return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target]) => {
      if (/^https?:/.test(target!)) return []
      const [file = '', anchor = ''] = target!.split('#')
      const path = file === '' ? page : join(dirname(page), file)
      const leads = existsSync(join(root, path)) && (anchor === '' || anchorsOf(path).has(anchor))
      return leads ? [] : [`${page}: ${target}`]
    })
  })
  assert.ok(pages.length > 5)
  assert.deepEqual(broken, [])
})

test('a decision record has at most 300 words', () => {
  const records = globSync('docs/adr/[0-9]*.md', { cwd: root })
  const long = records.flatMap((record) => {
    const words = readFileSync(join(root, record), 'utf8').trim().split(/\s+/).length
    return words > 300 ? [`${record}: ${words}`] : []
  })
  assert.ok(records.length > 40)
  assert.deepEqual(long, [])
})
