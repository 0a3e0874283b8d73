import { z } from 'zod'
import { levels } from '../../../../app/doctor/finding.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import { exampleTime } from './examples.ts'

const PATH = '/v1/operator'

export const doctorSchema = z.object({
  level: z.enum(levels),
  examinedAt: z.iso.datetime().meta({ description: 'A report is given out for half a minute' }),
  rows: z
    .array(
      z.object({
        id: z.string().meta({ description: 'Of the probe, which may have several rows' }),
        title: z.string(),
        level: z.enum(levels),
        says: z.string(),
        remedy: z.string().nullable().meta({ description: 'What to do; null if the level is `fine`' }),
      }),
    )
    .readonly(),
})

type Needs = OperatorAdmission & {
  /** Joins those who ask at the same time, and gives out a report for a while. */
  readonly doctor: () => Promise<z.output<typeof doctorSchema>>
}

/** The findings of `tocsin doctor`, for the console. protocol.md#operator-api. */
export const operatorDoctorRoutes = (needs: Needs) =>
  family('OPERATOR', needs, {
    bodiless(scope) {
      scope.get(
        `${PATH}/doctor`,
        {
          config: { action: 'doctor.view' },
          schema: {
            operationId: 'getDoctor',
            summary: 'Examines the whole installation',
            description:
              'Examines the installation as `tocsin doctor` does, and says what to do about each finding. Takes up to 10 s, sends no message, and shows no secret.',
            response: { 200: doctorSchema },
            examples: {
              answers: {
                200: {
                  level: 'attention',
                  examinedAt: exampleTime,
                  rows: [
                    {
                      id: 'backup',
                      title: 'Backup',
                      level: 'attention',
                      says: 'no backup has been made yet',
                      remedy: 'make one every night: docs/backups.md',
                    },
                  ],
                },
              },
            },
          },
        },
        () => needs.doctor(),
      )
    },
  })
