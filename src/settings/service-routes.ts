import { boolean, type InferType, number, object, string } from 'yup'
import { operation, single } from '../http/index.ts'

const isReachable = () => boolean().required().meta({ description: 'Whether it answers.', example: true })

const serviceShape = object({
  postgres: object({ isReachable: isReachable() }).required(),
  temporal: object({
    isReachable: isReachable(),
    namespace: string().required().meta({ example: 'default' }),
    uiUrl: string()
      .nullable()
      .defined()
      .meta({ description: 'Where its page is (TEMPORAL_UI_URL); null: nobody has said.', example: null }),
    workers: number()
      .nullable()
      .defined()
      .meta({ description: 'How many workers asked for work within a minute; null: not known.', example: 1 }),
  }).required(),
  mail: object({
    mode: string()
      .oneOf(['smtp', 'capture'] as const)
      .required()
      .meta({
        description: 'Whether mail of live workspaces is delivered, or captured in all of them.',
        example: 'smtp',
      }),
    sender: string().nullable().defined().meta({ description: 'MAIL_FROM.', example: 'Orchard <hello@example.com>' }),
    server: string().nullable().defined().meta({ description: 'Host and port.', example: 'smtp.example.com:587' }),
    failure: string()
      .nullable()
      .defined()
      .meta({ description: 'Why the server does not let us in; null where it does.', example: null }),
  }).required(),
})
  .required()
  .meta({ component: 'ServiceLook', description: 'How what the service works with is.' })

/** What people see of the installation. */
export const serviceOperations = [
  operation({
    id: 'getService',
    method: 'GET',
    path: '/service',
    tag: 'Settings',
    summary: 'Look at what the service works with',
    description:
      'Postgres, Temporal and its workers, and the mail server: as this process sees them, up to ten seconds ago.',
    role: 'viewer',
    answers: { 200: { description: 'How it is.', schema: single(serviceShape) } },
    async handle(_request, { lookAtService }) {
      const data: InferType<typeof serviceShape> = await lookAtService()
      return { status: 200, body: { data } }
    },
  }),
]
