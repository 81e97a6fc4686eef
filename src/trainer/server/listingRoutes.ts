import type { Checkpoint } from '../../schema/tinker';
import { parseTinkerPath } from './checkpointStore';
import { Fault } from './fault';
import type { Context, Routes } from './routes';
import { nominalRank } from './sessionRoutes';

/** What there is: runs, checkpoints, sessions. */
export function listingRoutes({ store, registry, baseModel }: Context): Routes {
  const runIds = async () => {
    const live = registry.allModels().map((model) => model.id);
    return [...new Set([...live, ...(await store.runs())])].sort();
  };

  const toRun = async (id: string): Promise<object> => {
    const model = registry.allModels().find((candidate) => candidate.id === id);
    const checkpoints = await store.list(id);
    if (!model && checkpoints.length === 0) throw new Fault(404, `There is no training run ${id}.`);
    const last = (type: Checkpoint['checkpoint_type']) =>
      checkpoints.findLast((checkpoint) => checkpoint.checkpoint_type === type) ?? null;
    return {
      training_run_id: id,
      base_model: baseModel,
      model_owner: 'local',
      is_lora: true,
      corrupted: false,
      lora_rank: nominalRank,
      last_request_time: model?.lastRequest ?? checkpoints.at(-1)?.time,
      last_checkpoint: last('training'),
      last_sampler_checkpoint: last('sampler'),
      user_metadata: model?.metadata ?? null,
    };
  };

  return {
    'GET /api/v1/training_runs': async ({ query }) => {
      const ids = await runIds();
      const { page, cursor } = paged(ids, query, 20);
      return { training_runs: await Promise.all(page.map(toRun)), cursor };
    },

    'GET /api/v1/training_runs/{run}': ({ params }) => toRun(params[0]!),

    'GET /api/v1/training_runs/{run}/checkpoints': async ({ params, query }) => {
      const { page, cursor } = paged(await store.list(params[0]!), query, 100);
      return { checkpoints: page, cursor };
    },

    'DELETE /api/v1/training_runs/{run}/checkpoints/{checkpoint...}': async ({ params }) => {
      const [run, checkpoint] = params as [string, string];
      const path = `tinker://${run}/${checkpoint}`;
      if (!(await store.remove(parseTinkerPath(path)))) throw new Fault(404, `There is no checkpoint ${path}.`);
      return {};
    },

    'GET /api/v1/checkpoints': async ({ query }) => {
      const all = await Promise.all((await store.runs()).map((run) => store.list(run)));
      const { page, cursor } = paged(all.flat(), query, 100);
      return { checkpoints: page, cursor };
    },

    'GET /api/v1/sessions': ({ query }) => {
      const { page, cursor } = paged(registry.sessionIds(), query, 20);
      return { sessions: page, cursor };
    },

    'GET /api/v1/sessions/{id}': ({ params }) => {
      const session = registry.session(params[0]!);
      return {
        training_run_ids: [...session.models].map((model) => model.id),
        sampler_ids: [...session.samplers].map((sampler) => sampler.id),
      };
    },
  };
}

function paged<T>(items: readonly T[], query: URLSearchParams, usual: number): { page: T[]; cursor: object } {
  const limit = count(query, 'limit', usual);
  const offset = count(query, 'offset', 0);
  return { page: items.slice(offset, offset + limit), cursor: { offset, limit, total_count: items.length } };
}

function count(query: URLSearchParams, name: string, usual: number): number {
  const value = Number(query.get(name) ?? usual);
  if (!Number.isSafeInteger(value) || value < 0) throw new Fault(422, `${name}: expected a whole number, 0 or more.`);
  return value;
}
