import { createRoute } from '@tanstack/react-router'
import { isOneOf } from '../lib/is-one-of.ts'
import { lazyPage } from '../lib/load-with-retry.ts'
import { textsOf } from '../lib/texts-of.ts'
import { RECIPIENT_GROUP_IDS, type RecipientGroup } from '../pages/campaign/report/recipient-groups.ts'
import { workspaceRoute } from './workspace.ts'

/** The views of the list of campaigns. */
const CAMPAIGN_VIEWS = ['all', 'drafts', 'scheduled', 'sending', 'sent'] as const

/** State of the list of campaigns. `sort` is a column, with "-" before it if descending. */
interface CampaignsSearch {
  view?: (typeof CAMPAIGN_VIEWS)[number]
  q?: string
  sort?: string
}

const campaigns = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/campaigns',
  validateSearch: (given: Record<string, unknown>): CampaignsSearch => ({
    ...textsOf(given, 'q', 'sort'),
    ...(isOneOf(CAMPAIGN_VIEWS, given['view']) && { view: given['view'] }),
  }),
  component: lazyPage(() => import('../pages/campaigns/CampaignsPage.tsx'), 'CampaignsPage'),
})

const campaign = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/campaigns/$campaignId',
  validateSearch: ({ recipients }: Record<string, unknown>): { recipients?: RecipientGroup } =>
    isOneOf(RECIPIENT_GROUP_IDS, recipients) ? { recipients } : {},
  component: lazyPage(() => import('../pages/campaign/CampaignPage.tsx'), 'CampaignPage'),
})

const TEMPLATE_VIEWS = ['all', 'emails', 'layouts', 'snippets'] as const

/** State of the list of templates, as for campaigns. */
interface TemplatesSearch {
  view?: (typeof TEMPLATE_VIEWS)[number]
  q?: string
  sort?: string
  /** As cards, if it is missing. */
  as?: 'cards' | 'list'
}

const templates = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/templates',
  validateSearch: (given: Record<string, unknown>): TemplatesSearch => ({
    ...textsOf(given, 'q', 'sort'),
    ...(isOneOf(TEMPLATE_VIEWS, given['view']) && { view: given['view'] }),
    ...(given['as'] === 'list' && { as: given['as'] }),
  }),
  component: lazyPage(() => import('../pages/templates/TemplatesPage.tsx'), 'TemplatesPage'),
})

const template = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/templates/$templateId',
  component: lazyPage(() => import('../pages/template/TemplatePage.tsx'), 'TemplatePage'),
})

const media = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/media',
  validateSearch: (given: Record<string, unknown>): { q?: string; page?: number; file?: string | undefined } => ({
    ...textsOf(given, 'q', 'file'),
    ...(typeof given['page'] === 'number' && given['page'] > 1 && { page: given['page'] }),
  }),
  component: lazyPage(() => import('../pages/media/MediaPage.tsx'), 'MediaPage'),
})

/** Campaigns, templates and media files. */
export const campaignRoutes = [campaigns, campaign, templates, template, media] as const
