import { type Api, buildDocument, getService, openApiDocument, type Operation, whoami } from '../http/index.ts'
import { ACCOUNT_LIMITS } from '../accounts/index.ts'
import { accountOperations } from '../accounts/routes.ts'
import { auditOperations } from '../audit/routes.ts'
import { automationOperations } from '../automations/routes.ts'
import { feedbackPages } from '../bounces/index.ts'
import { bounceOperations } from '../bounces/routes.ts'
import { confirmationPages, preferencesPages } from '../consent/index.ts'
import { campaignOperations } from '../campaigns/routes.ts'
import { consentOperations } from '../consent/routes.ts'
import {
  contactOperations,
  erasureOperations,
  exportOperations,
  listContactOperations,
  segmentContactOperations,
  tagOperations,
} from '../contacts/routes.ts'
import { emailOperations } from '../emails/routes.ts'
import { enrollmentOperations } from '../enrollments/routes.ts'
import { eventOperations } from '../events/routes.ts'
import { explanationOperations } from '../explanations/routes.ts'
import { ERASURE } from './erasure.ts'
import { messageOperations } from '../messages/routes.ts'
import { CONTACT_LIMITS, CONFLICT_ERRORS } from '../contacts/index.ts'
import { decisionOperations, webhookOperations } from '../steps/routes.ts'
import { sourceOperations } from '../sources/routes.ts'
import { rehearsalOperations } from '../rehearsal/routes.ts'
import { publishingOperations } from '../publishing/routes.ts'
import { requestLogOperations } from '../request-log/routes.ts'
import { mediaPages } from '../media/index.ts'
import { mediaOperations } from '../media/routes.ts'
import { testClockOperations } from '../test-clock/routes.ts'
import { proposalOperations } from '../proposals/routes.ts'
import { statsOperations } from '../stats/routes.ts'
import { importOperations } from '../imports/routes.ts'
import { addMcp } from '../mcp/routes.ts'
import { listOperations } from '../lists/routes.ts'
import { segmentOperations } from '../segments/routes.ts'
import { templateOperations } from '../templates/routes.ts'
import { senderOperations } from '../senders/routes.ts'
import { apiKeyOperations, workspaceOperations } from '../workspaces/routes.ts'
import { outgoingWebhookOperations, webhookDescriptions } from '../webhooks/routes.ts'
import { visitPages } from '../tracking/index.ts'

/** The version prefix. */
export const BASE_PATH = '/api/v1'

export const operations: readonly Operation[] = [
  whoami,
  openApiDocument(() => document),
  ...accountOperations,
  getService,
  ...apiKeyOperations,
  ...auditOperations,
  ...requestLogOperations,
  ...workspaceOperations,
  ...senderOperations,
  ...webhookOperations,
  ...outgoingWebhookOperations,
  ...decisionOperations,
  ...explanationOperations,
  ...contactOperations,
  ...eventOperations,
  ...sourceOperations,
  ...erasureOperations(ERASURE),
  ...importOperations,
  ...exportOperations,
  ...consentOperations,
  ...bounceOperations,
  ...statsOperations,
  ...messageOperations,
  ...emailOperations,
  ...listOperations,
  ...listContactOperations,
  ...tagOperations,
  ...segmentOperations,
  ...segmentContactOperations,
  ...templateOperations,
  ...mediaOperations,
  ...automationOperations,
  ...publishingOperations,
  ...campaignOperations,
  ...proposalOperations([...publishingOperations, ...campaignOperations]),
  ...enrollmentOperations,
  ...rehearsalOperations,
  ...testClockOperations,
]

/** The response of `GET /openapi.json`. */
export const document = buildDocument(operations, BASE_PATH, webhookDescriptions)

export const API: Api = {
  basePath: BASE_PATH,
  operations,
  document,
  limits: { ...ACCOUNT_LIMITS, ...CONTACT_LIMITS, ...CONFLICT_ERRORS },
  pages: [preferencesPages, confirmationPages, feedbackPages, visitPages, mediaPages],
  addProtocol: addMcp(operations),
}
