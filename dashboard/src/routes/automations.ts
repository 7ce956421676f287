import { createRoute } from '@tanstack/react-router'
import { isOneOf } from '../lib/is-one-of.ts'
import { lazyPage } from '../lib/load-with-retry.ts'
import { workspaceRoute } from './workspace.ts'

const STATUSES = ['ACTIVE', 'PAUSED', 'DRAFT', 'ARCHIVED'] as const
type Status = (typeof STATUSES)[number]

const automations = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/automations',
  validateSearch: ({ status, q }: Record<string, unknown>): { status?: Status; q?: string } => ({
    ...(isOneOf(STATUSES, status) && { status }),
    ...(typeof q === 'string' && q !== '' && { q }),
  }),
  component: lazyPage(() => import('../pages/automations/AutomationsPage.tsx'), 'AutomationsPage'),
})

const builder = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/automations/$automationId',
  validateSearch: ({ view, step }: Record<string, unknown>): { view?: 'edit' | 'numbers'; step?: string } => ({
    ...((view === 'edit' || view === 'numbers') && { view }),
    ...(typeof step === 'string' && { step }),
  }),
  component: lazyPage(() => import('../pages/builder/BuilderPage.tsx'), 'BuilderPage'),
})

const automationReport = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/automations/$automationId/report',
  validateSearch: ({ window: days, step }: Record<string, unknown>): { window?: number; step?: string } => ({
    ...(typeof days === 'number' && days >= 1 && days <= 365 && { window: Math.floor(days) }),
    ...(typeof step === 'string' && { step }),
  }),
  component: lazyPage(() => import('../pages/automation-report/AutomationReportPage.tsx'), 'AutomationReportPage'),
})

interface RehearsalSearch {
  for?: 'audience' | undefined
  /** The current version, although there is a draft, which is not complete. */
  of?: 'version' | undefined
  contact?: string | undefined
  at?: string | undefined
  rehearsal?: string | undefined
  difference?: number | undefined
  page?: number | undefined
  /** The contact whose row is open. */
  row?: string | undefined
}

const rehearsal = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/automations/$automationId/rehearse',
  validateSearch: (search: Record<string, unknown>): RehearsalSearch => {
    const { contact, at, rehearsal: id, difference, page, row } = search
    return {
      ...(search['for'] === 'audience' && { for: 'audience' }),
      ...(search['of'] === 'version' && { of: 'version' }),
      ...(typeof contact === 'string' && { contact }),
      ...(typeof at === 'string' && !Number.isNaN(Date.parse(at)) && { at }),
      ...(typeof id === 'string' && { rehearsal: id }),
      ...(typeof difference === 'number' && { difference }),
      ...(typeof page === 'number' && { page }),
      ...(typeof row === 'string' && { row }),
    }
  },
  component: lazyPage(() => import('../pages/rehearsal/RehearsalPage.tsx'), 'RehearsalPage'),
})

const ENROLLMENT_STATUSES = ['ACTIVE', 'COMPLETED', 'GOAL_REACHED', 'EXITED', 'STOPPED', 'CANCELLED'] as const
type EnrollmentStatus = (typeof ENROLLMENT_STATUSES)[number]

const PROPOSAL_STATUSES = ['PENDING', 'APPROVED', 'REJECTED', 'EXPIRED'] as const
type ProposalStatus = (typeof PROPOSAL_STATUSES)[number]

const enrollments = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/enrollments',
  validateSearch: ({
    automationId,
    stepId,
    status,
  }: Record<string, unknown>): { automationId?: string; stepId?: string; status?: EnrollmentStatus } => ({
    ...(typeof automationId === 'string' && { automationId }),
    ...(typeof stepId === 'string' && { stepId }),
    ...(isOneOf(ENROLLMENT_STATUSES, status) && { status }),
  }),
  component: lazyPage(() => import('../pages/enrollments/EnrollmentsPage.tsx'), 'EnrollmentsPage'),
})

const proposals = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/proposals',
  validateSearch: ({ status, page }: Record<string, unknown>): { status?: ProposalStatus; page?: number } => ({
    ...(isOneOf(PROPOSAL_STATUSES, status) && { status }),
    ...(typeof page === 'number' && page > 1 && { page }),
  }),
  component: lazyPage(() => import('../pages/proposals/ProposalsPage.tsx'), 'ProposalsPage'),
})

const proposal = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/proposals/$proposalId',
  component: lazyPage(() => import('../pages/proposals/ProposalPage.tsx'), 'ProposalPage'),
})

/** Automations with their reports and enrollments, and proposals. */
export const automationRoutes = [
  automations,
  builder,
  automationReport,
  rehearsal,
  enrollments,
  proposals,
  proposal,
] as const
