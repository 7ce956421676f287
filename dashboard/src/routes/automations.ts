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

const ENROLLMENT_STATUSES = ['ACTIVE', 'COMPLETED', 'GOAL_REACHED', 'EXITED', 'STOPPED', 'CANCELLED'] as const
type EnrollmentStatus = (typeof ENROLLMENT_STATUSES)[number]

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

/** Automations with their reports and enrollments. */
export const automationRoutes = [automations, builder, automationReport, enrollments] as const
