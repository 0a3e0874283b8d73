import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startsPrograms } from '../harness/starts-programs.ts'

test('a test that starts programs is known by what it imports', () => {
  const starts = {
    'test/browser/app.test.ts': true,
    'test/cli/start.test.ts': true,
    'test/cli/user-app.test.ts': false,
    'test/prove/prove.test.ts': true,
    'test/scenarios/cascade.test.ts': false,
    'test/scenarios/crash.test.ts': true,
    'test/scenarios/sdk-process.test.ts': true,
  }
  for (const [file, so] of Object.entries(starts)) assert.equal(startsPrograms(file), so, file)
})
