import {
  CreateSamplingSessionRequest,
  RetrieveFuturesRequest,
  SampleBatchRequest,
  SampleRequest,
} from '../../schema/tinker';
import { parseTinkerPath } from './checkpointStore';
import { Fault } from './fault';
import { type Context, parseBody, type Routes } from './routes';
import { startSample } from './startSample';

/** Seed of the weights that a model without training samples from. */
const baseSeed = 0;

/** Sampling sessions and sampling. */
export function samplingRoutes(context: Context): Routes {
  const { engine, store, registry, baseModel } = context;
  return {
    'POST /api/v1/create_sampling_session': async (call) => {
      const request = parseBody(CreateSamplingSessionRequest, call);
      const session = registry.session(request.session_id);
      const sampler = await registry.working(session, async () => {
        const path = request.model_path;
        if (!path && request.base_model !== baseModel) {
          throw new Fault(400, `base_model ${request.base_model} is not here: this server has ${baseModel}.`);
        }
        const snapshot = path
          ? await engine.snapshotOf(await store.load(parseTinkerPath(path, 'sampler_weights')))
          : await registry.freshSnapshot(baseSeed);
        return registry.addSampler(session, request.sampling_session_seq_id, snapshot, path ?? null);
      });
      return { type: 'create_sampling_session', sampling_session_id: sampler.id };
    },

    'POST /api/v1/asample': (call) => startSample(context, parseBody(SampleRequest, call)),

    'POST /api/v1/asample_batch': (call) => {
      const { requests } = parseBody(SampleBatchRequest, call);
      return {
        replies: requests.map((body) => replyOrFault(() => startSample(context, parseBody(SampleRequest, { body })))),
      };
    },

    'POST /api/v1/retrieve_futures': async (call) => {
      const request = parseBody(RetrieveFuturesRequest, call);
      const { completions } = registry.sampler(request.target.sampling_session_id);
      return completions.since(request.prev_cursor ?? 0, context.holdMilliseconds, call.signal);
    },

    'GET /api/v1/samplers/{id}': ({ params }) => {
      const sampler = registry.sampler(params[0]!);
      return { sampler_id: sampler.id, base_model: baseModel, model_path: sampler.modelPath };
    },

    'DELETE /api/v1/samplers/{id}': async ({ params }) => {
      await registry.releaseSampler(registry.sampler(params[0]!));
      return {};
    },
  };
}

function replyOrFault(start: () => object): object {
  try {
    return start();
  } catch (error) {
    if (error instanceof Fault) return { status: error.status, detail: error.message };
    throw error;
  }
}
