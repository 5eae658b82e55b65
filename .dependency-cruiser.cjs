/** The import law of ARCHITECTURE.md. `test/import-law.test.ts` checks that it sees modules, and that it bites. */
module.exports = {
  forbidden: [
    {
      name: 'core-imports-nobody',
      comment: 'core runs wherever JavaScript runs: no package, no node:*, no sibling.',
      severity: 'error',
      from: { path: '^packages/core/src/' },
      to: { pathNot: '^packages/core/src/' },
    },
    {
      name: 'shapes-know-no-store',
      comment: 'Inside core: shapes <- stores <- limiter <- http, never back.',
      severity: 'error',
      from: { path: '^packages/core/src/shapes/' },
      to: { path: '^packages/core/src/(stores|http)/|^packages/core/src/limiter' },
    },
    {
      name: 'stores-know-no-limiter',
      comment: 'Inside core: shapes <- stores <- limiter <- http, never back.',
      severity: 'error',
      from: { path: '^packages/core/src/stores/' },
      to: { path: '^packages/core/src/http/|^packages/core/src/limiter' },
    },
    {
      name: 'limiter-knows-no-http',
      comment: 'A limiter serves sockets and jobs, too.',
      severity: 'error',
      from: { path: '^packages/core/src/[^/]+$', pathNot: '^packages/core/src/index' },
      to: { path: '^packages/core/src/http/' },
    },
    {
      name: 'siblings-are-strangers',
      comment: 'Every package stands on core alone: adapters and stores never meet.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/' },
      to: { path: '^packages/', pathNot: '^packages/($1|core)/' },
    },
    {
      name: 'nobody-imports-examples',
      comment: 'Examples and benchmarks are ends.',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(examples|bench)/' },
    },
    {
      name: 'no-cycles',
      comment: 'A cycle is one file in two parts.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@tickbucket/source', 'import', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.cjs'],
    },
  },
}
