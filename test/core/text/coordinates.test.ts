import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decimalDegrees, degreesAndMinutes, mgrs } from '../../../src/core/text/coordinates.ts'

suite('coordinates to read out', () => {
  // Reference values of the `mgrs` library (proj4js); the code agreed with it in 200,000 random places.
  const places = [
    [47.07134, 11.40412, '32T PT 82527 15896', '47° 04.280′ N, 011° 24.247′ E'],
    [38.8895, -77.0353, '18S UJ 23478 06483', '38° 53.370′ N, 077° 02.118′ W'],
    [-33.8568, 151.2153, '56H LH 34900 52288', '33° 51.408′ S, 151° 12.918′ E'],
    [60.4, 5.3, '32V KN 96191 01684', '60° 24.000′ N, 005° 18.000′ E'],
    [78.2, 15.6, '33X WG 13696 80760', '78° 12.000′ N, 015° 36.000′ E'],
    [0, 180, '1N AA 66021 00000', '00° 00.000′ N, 180° 00.000′ E'],
  ] as const
  for (const [latitude, longitude, grid, minutes] of places) {
    test(`${latitude}, ${longitude}`, () => {
      assert.equal(mgrs({ latitude, longitude }), grid)
      assert.equal(degreesAndMinutes({ latitude, longitude }), minutes)
    })
  }

  test('near the poles another grid holds', () => {
    assert.equal(mgrs({ latitude: 84, longitude: 0 }), null)
    assert.equal(mgrs({ latitude: -80.1, longitude: 0 }), null)
    assert.match(mgrs({ latitude: 83.99999, longitude: 0 })!, /^31X DP /)
  })

  test('minutes are never 60, and zero has no sign', () => {
    assert.equal(degreesAndMinutes({ latitude: 46.9999999, longitude: -0.0000001 }), '47° 00.000′ N, 000° 00.000′ W')
    assert.equal(decimalDegrees(-0.000001), '0.00000')
  })
})
