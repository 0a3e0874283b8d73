import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { hasProgram } from '../fixtures/requires.ts'

const CONFIGURATION = 'docs/several-nodes/haproxy.cfg'

test('HAProxy accepts the configuration', (t) => {
  // Not among what .ci/run installs: nothing of Tocsin needs it.
  if (!hasProgram('haproxy')) return t.skip('needs haproxy')
  const { status, stderr } = spawnSync('haproxy', ['-c', '-q', '-f', CONFIGURATION], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
})
