import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { releaseNotes } from '../../packaging/notes.ts'

const file = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

test('the notes of a release are the changelog’s section of its version, with links that can be read', () => {
  const changelog =
    '# C\n\n## 1.10.0\n\nnew [x](docs/modem.md)\n\n## 1.1.0 (2026-01-01)\n\nold [up](#up) [w](https://w.org)\n### Up\n'
  assert.match(releaseNotes(changelog, '1.10.0'), /^# Tocsin 1\.10\.0\n[\s\S]*\n\nnew x \(docs\/modem\.md\)\n$/)
  assert.match(releaseNotes(changelog, '1.1.0'), /\n\nold up \[w\]\(https:\/\/w\.org\)\n### Up\n$/)
  assert.throws(() => releaseNotes(changelog, '1.1'), /CHANGELOG\.md has no section 1\.1$/)
})

test('the changelog has a section for the version of this checkout', () => {
  const { version } = JSON.parse(file('package.json'))
  const notes = releaseNotes(file('CHANGELOG.md'), version)
  assert.match(notes, /### Upgrading/)
  assert.doesNotMatch(notes, /\]\((?!https?:)/)
})
