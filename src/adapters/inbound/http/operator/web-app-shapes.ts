import { z } from 'zod'
import {
  colourField,
  countryField,
  emergencyNumberField,
  type WebAppSettings,
} from '../../../../core/account/web-app.ts'
import { asGiven } from './scope.ts'

/** The app in the box in an update: fields that are not given stay. */
export const webAppGiven = z
  .strictObject({
    on: z.boolean(),
    colour: colourField,
    country: countryField,
    emergencyNumber: emergencyNumberField.nullable().meta({ description: 'null: that of the country' }),
  })
  .partial()

export const webAppSchema = z
  .object({
    on: z.boolean(),
    colour: z.string().meta({ description: '#rrggbb' }),
    country: z.string().nullable().meta({ description: 'ISO 3166-1 alpha-2' }),
    emergencyNumber: z.string().meta({ description: 'The number that the app calls' }),
  })
  .meta({ id: 'WebApp', description: 'The app in the box' })

/** The app's part of an update, in the core's form. */
export function ofApp({ on, ...given }: z.output<typeof webAppGiven>): Partial<WebAppSettings> {
  return asGiven({ ...(on !== undefined && { isOn: on }), ...given })
}
