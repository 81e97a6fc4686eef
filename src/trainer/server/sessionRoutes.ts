import {
  CancelFutureRequest,
  CreateModelRequest,
  CreateSessionRequest,
  HeartbeatRequest,
  ModelRequest,
  RetrieveFutureRequest,
} from '../../schema/tinker';
import { Fault } from './fault';
import { randomSeed } from './randomSeed';
import { type Context, parseBody, type Routes } from './routes';

/**
 * All weights are trained. Tinker's clients refuse to resume what is not called LoRA, so this rank is told to them.
 */
export const nominalRank = 32;

/** Start-up, sessions, models and futures. */
export function sessionRoutes({ engine, futures, registry, baseModel, holdMilliseconds }: Context): Routes {
  return {
    'GET /api/v1/healthz': () => ({ status: 'ok' }),

    'POST /api/v1/client/config': () => ({
      pjwt_auth_enabled: false,
      parallel_fwdbwd_chunks: true,
      proto_write_fwdbwd: false,
      proto_compress_fwdbwd: false,
      create_model_via_load_weights: false,
    }),

    // Tinker's own clients report here whatever the service is, and complain where they cannot. Nothing is kept.
    'POST /api/v1/telemetry': () => ({ status: 'accepted' }),

    'GET /api/v1/get_server_capabilities': () => {
      const { context, layers, width, heads } = engine.shape;
      const local = { layers, width, heads, kernels: engine.kernels };
      return {
        supported_models: [
          { model_name: baseModel, max_context_length: context, trainable: true, sampleable: true, local },
        ],
      };
    },

    'POST /api/v1/create_session': (call) => {
      parseBody(CreateSessionRequest, call);
      return { type: 'create_session', session_id: registry.createSession().id };
    },

    'POST /api/v1/session_heartbeat': (call) => {
      registry.session(parseBody(HeartbeatRequest, call).session_id);
      return { type: 'session_heartbeat' };
    },

    'POST /api/v1/create_model': (call) => {
      const request = parseBody(CreateModelRequest, call);
      const session = registry.session(request.session_id);
      if (request.base_model !== baseModel) {
        throw new Fault(400, `base_model ${request.base_model} is not here: this server has ${baseModel}.`);
      }
      const seed = request.lora_config?.seed ?? randomSeed();
      const metadata = request.user_metadata ?? null;
      const requestId = futures.start(() =>
        registry.working(session, async () => {
          const model = await registry.createModel(session, request.model_seq_id, seed, metadata);
          return { type: 'create_model', model_id: model.id };
        }),
      );
      return { request_id: requestId, model_id: null };
    },

    'POST /api/v1/get_info': (call) => {
      const model = registry.model(parseBody(ModelRequest, call).model_id);
      return {
        type: 'get_info',
        model_id: model.id,
        is_lora: true,
        lora_rank: nominalRank,
        model_name: baseModel,
        model_data: {
          arch: 'retool-local',
          model_name: baseModel,
          tokenizer_id: baseModel,
          parameters: engine.parameters,
        },
      };
    },

    'POST /api/v1/unload_model': (call) => {
      const model = registry.model(parseBody(ModelRequest, call).model_id);
      const requestId = futures.start(async () => {
        await registry.unloadModel(model);
        return { type: 'unload_model', model_id: model.id };
      });
      return { request_id: requestId };
    },

    'POST /api/v1/retrieve_future': async (call) => {
      const { request_id: requestId } = parseBody(RetrieveFutureRequest, call);
      const body = await futures.retrieve(requestId, holdMilliseconds, call.signal);
      if (body === 'unknown') throw new Fault(410, `The request ${requestId} is unknown or its result has expired.`);
      if (body !== 'pending') return body;
      return { type: 'try_again', request_id: requestId, queue_state: 'active' };
    },

    'POST /api/v1/cancel_future': (call) => {
      for (const id of [parseBody(CancelFutureRequest, call).request_id].flat()) futures.cancel(id);
      return {};
    },
  };
}
