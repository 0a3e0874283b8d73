import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { countriesAt } from '../../../src/adapters/platform/system/countries-at.ts'

suite('the countries of a place', () => {
  const places = [
    ['Vienna', 48.2, 16.37, false, ['AT']],
    ['the Brenner', 46.99612, 11.49871, false, ['IT', 'AT']],
    ['Geneva', 46.2, 6.15, false, ['CH', 'FR']],
    ['Innsbruck', 47.27, 11.4, false, ['AT']],
    ['Innsbruck, an hour ago', 47.27, 11.4, true, ['AT', 'IT', 'DE']],
    ['the harbour of Hong Kong', 22.3, 114.2, false, ['HK']],
    ['San Juan', 18.4, -66.1, false, ['PR']],
    ['off Sylt', 54.9, 8.1, false, ['DE']],
    ['Fiji, on the date line', -16.8, 180, true, ['FJ']],
    ['the Atlantic', 30, -40, true, []],
    ['the north pole', 90, 180, true, []],
    ['the south pole', -90, -180, true, ['AQ']],
  ] as const
  for (const [name, latitude, longitude, isWide, countries] of places) {
    test(name, async () => assert.deepEqual(await countriesAt({ latitude, longitude }, isWide), countries))
  }
})
