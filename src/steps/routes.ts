import { object, string } from 'yup'
import { ok, operation, single } from '../http/index.ts'
import { SECRETS_KEY_MISSING } from '../platform/secrets-key.ts'
import { getSigningSecret, rotateSigningSecret } from './signing-secret.ts'

export { decisionOperations } from './decision-routes.ts'

const signingSecretResponse = object({
  secret: string().required().meta({
    description: 'The secret, as libraries for Standard Webhooks expect it.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwPqS0ykJ3vxY=',
  }),
})
  .required()
  .meta({ component: 'WebhookSecret' })

/** Operations on the secret that signs the requests of WEBHOOK steps. */
export const webhookOperations = [
  operation({
    id: 'getWebhookSecret',
    method: 'GET',
    path: '/webhook-secret',
    tag: 'Settings',
    summary: 'Get the signing secret of webhooks',
    description:
      'The secret that signs the requests of WEBHOOK steps, by Standard Webhooks. It is created on first use, and stored encrypted with ' +
      'SECRETS_KEY.',
    scope: 'webhooks:write',
    responses: { 200: { description: 'The secret.', schema: single(signingSecretResponse) } },
    errors: { 409: [SECRETS_KEY_MISSING] },
    handle: async ({ caller }, { em, secrets }) =>
      ok({ secret: await getSigningSecret(em.fork(), secrets, caller.workspace.id) }),
  }),
  operation({
    id: 'rotateWebhookSecret',
    method: 'POST',
    path: '/webhook-secret/rotate',
    tag: 'Settings',
    summary: 'Replace the signing secret of webhooks',
    description: 'For a day, requests are signed with the new secret and with the one before.',
    role: 'owner',
    isSecret: true,
    responses: { 200: { description: 'The new secret.', schema: single(signingSecretResponse) } },
    errors: { 409: [SECRETS_KEY_MISSING] },
    handle: async ({ caller }, { em, secrets }) =>
      ok({ secret: await rotateSigningSecret(em.fork(), secrets, caller.workspace.id) }),
  }),
]
