import { array, boolean, object, string } from 'yup'
import { AUTOMATION_NOT_FOUND, findAutomation } from '../automations/index.ts'
import { CAMPAIGN_NOT_FOUND, getCampaign } from '../campaigns/index.ts'
import { CONTACT_NOT_FOUND, CONTACT_PARAM, getContact } from '../contacts/index.ts'
import { assertScope, EXAMPLE_ID, ok, operation, single } from '../http/index.ts'
import { explainAutomation } from './explain-automation.ts'
import { explainCampaign } from './explain-campaign.ts'
import { type Explanation, FACT_STATES, OUTCOMES } from './explanation.ts'

const nullableId = (of: string) =>
  string()
    .nullable()
    .defined()
    .meta({ description: `The ${of}'s identifier, if any.`, json: { format: 'uuid' }, example: EXAMPLE_ID })

const factResponse = object({
  name: string().required().meta({ description: 'A short name of the fact.', example: 'TRIGGER' }),
  state: string().oneOf(FACT_STATES).required().meta({
    description: 'TRUE, FALSE, or OPEN: it may still become true, or did not matter.',
    example: 'FALSE',
  }),
  title: string().required().meta({ description: 'What must be true.', example: 'Tag “dormant”' }),
  needs: string().required().meta({ description: 'What is needed.', example: 'added' }),
  found: string().required().meta({ description: 'What was found. Times are ISO 8601.', example: 'never' }),
  decides: boolean().required().meta({ description: 'Whether the sentence is about it.', example: true }),
}).required()

const explanationResponse = object({
  outcome: string().oneOf(OUTCOMES).required().meta({
    description: 'ENTERED or NOT_ENTERED for an automation. SENT, NOT_SENT or WAITING for the email of a campaign.',
    example: 'NOT_ENTERED',
  }),
  sentence: string().required().meta({
    description: 'The reason in English. Times are ISO 8601.',
    example: 'The contact does not have the tag “dormant”, which starts the automation.',
  }),
  facts: array()
    .of(factResponse)
    .required()
    .meta({ description: 'All facts that were checked, in the order in which they are evaluated.' }),
  enrollmentId: nullableId('most recent enrollment'),
  messageId: nullableId('message'),
})
  .required()
  .meta({ component: 'Explanation', description: 'Why a contact got emails, or did not.' })

const present = ({ facts, decisive, ...explanation }: Explanation) => ({
  ...explanation,
  facts: facts.map((fact) => {
    const { name, state, title, needs, found } = fact
    return { name, state, title, needs, found, decides: fact === decisive }
  }),
})

const ALSO_CONTACTS = 'The scope `contacts:read` is needed too.'

export const explanationOperations = [
  operation({
    id: 'explainAutomation',
    method: 'GET',
    path: '/automations/{id}/explanations/{contactId}',
    params: { contactId: CONTACT_PARAM },
    tag: 'Contacts',
    summary: 'Explain why a contact entered an automation, or did not',
    description:
      'Checks what must be true for the contact to enter, and lists the emails of their most recent enrollment. Facts are those of ' +
      'this moment, except where an entry was refused in the last 90 days: that was decided then. ' +
      ALSO_CONTACTS,
    scope: 'automations:read',
    responses: { 200: { description: 'The explanation.', schema: single(explanationResponse) } },
    errors: { 404: [AUTOMATION_NOT_FOUND, CONTACT_NOT_FOUND] },
    async handle({ caller, params }, dependencies) {
      assertScope(caller, 'contacts:read')
      const em = dependencies.em.fork()
      const automation = await findAutomation(em, caller.workspace.id, params.id)
      const contact = await getContact(em, caller.workspace.id, params.contactId)
      return ok(present(await explainAutomation(em, automation, contact)))
    },
  }),

  operation({
    id: 'explainCampaign',
    method: 'GET',
    path: '/campaigns/{id}/explanations/{contactId}',
    params: { contactId: CONTACT_PARAM },
    tag: 'Contacts',
    summary: 'Explain why a contact got the email of a campaign, or did not',
    description:
      'Reads the message of the contact. If there is none, checks what must be true for the contact to be a recipient, at this moment. ' +
      ALSO_CONTACTS,
    scope: 'campaigns:read',
    responses: { 200: { description: 'The explanation.', schema: single(explanationResponse) } },
    errors: { 404: [CAMPAIGN_NOT_FOUND, CONTACT_NOT_FOUND] },
    async handle({ caller, params }, dependencies) {
      assertScope(caller, 'contacts:read')
      const em = dependencies.em.fork()
      const campaign = await getCampaign(em, caller.workspace.id, params.id)
      const contact = await getContact(em, caller.workspace.id, params.contactId)
      return ok(present(await explainCampaign(em, campaign, contact)))
    },
  }),
]
