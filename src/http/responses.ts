import { array, boolean, number, object, string } from 'yup'
import { WORKSPACE_MODES } from './caller.ts'
import { SCOPES } from './scopes.ts'
import { count, id, timestamp, ok, nullableText } from './fields.ts'

/** The response to every deletion. */
export const deleteResultResponse = object({
  id: id('deleted resource'),
  // Not an enumeration with one value: a Python generator would read it as a string and reject the response.
  deleted: boolean().required().meta({ description: 'Always true.', example: true }),
})
  .required()
  .meta({ component: 'DeleteResult' })

export const deleted = (resourceId: string) => ok({ id: resourceId, deleted: true })

/** The body of every error response. */
export const errorResponse = object({
  error: string().required().meta({ description: 'The error message, for people.', example: 'Contact not found' }),
})
  .required()
  .meta({ component: 'Error' })

export const whoamiResponse = object({
  workspace: object({
    id: id('workspace'),
    name: string().required().meta({ example: 'My workspace' }),
    mode: string()
      .oneOf(WORKSPACE_MODES)
      .required()
      .meta({ description: 'The mail of a test workspace is always captured.', example: 'live' }),
  }).required(),
  apiKey: object({
    id: id('key'),
    name: string().required().meta({ example: 'Backend' }),
    prefix: string().required().meta({ description: 'The visible part of the key.', example: 'svc_live_AbC123' }),
    expiresAt: timestamp('When the key expires; null if it does not.').nullable().defined(),
  }).required(),
  scopes: array()
    .of(string().oneOf(SCOPES).required())
    .required()
    .meta({ example: ['contacts:read'] }),
  rateLimit: object({
    limit: count('Requests per 60 seconds.', 120),
    remaining: count('The requests remaining after this one.', 119),
    resetAt: timestamp('When the window will be empty again, if no further request is made.'),
  }).required(),
})
  .required()
  .meta({ component: 'WhoAmI' })

const isReachable = () => boolean().required().meta({ description: 'Whether it responds.', example: true })

export const serviceResponse = object({
  postgres: object({ isReachable: isReachable() }).required(),
  temporal: object({
    isReachable: isReachable(),
    namespace: string().required().meta({ example: 'default' }),
    uiUrl: nullableText("The URL of Temporal's UI (TEMPORAL_UI_URL); null if it is not configured."),
    workers: number().nullable().defined().meta({
      description: 'The number of workers that polled for work within a minute; null if unknown.',
      example: 1,
    }),
  }).required(),
  mail: object({
    mode: string()
      .oneOf(['smtp', 'capture'] as const)
      .required()
      .meta({
        description: 'Whether mail of live workspaces is delivered, or captured in all workspaces.',
        example: 'smtp',
      }),
    sender: nullableText('MAIL_FROM.', 'Orchard <hello@example.com>'),
    server: nullableText('Host and port.', 'smtp.example.com:587'),
    failure: nullableText('Why the server rejected the login; null if it accepted it.'),
  }).required(),
})
  .required()
  .meta({ component: 'ServiceStatus', description: 'The state of the services that Dripline depends on.' })
