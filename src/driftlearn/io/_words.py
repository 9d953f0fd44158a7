"""Texts and rows of keys that small contents do not spell out, of the first format.

They are what states of keys were made of when the format was made. This list is part of the format
and never changes: not when a class gains an attribute or is renamed, since a text that is not here
is spelled out. A longer list is another format, beside this one, which goes on to be read.
"""

# ruff: noqa: E501

NAMES = """
<f8 <i4 |u1 |b1 <i8 float64 int32 driftlearn.engines.adaptive_window:AdaptiveWindow number
driftlearn.preprocess._columns:NumberColumn day codes str96 bool age
driftlearn.keyed.key_state:KeyState driftlearn.preprocess.table_encoder:TableEncoder month weekday
hour note driftlearn.preprocess._knowledge:Knowledge driftlearn.keyed.voices:Voices
driftlearn.keyed.key_record:KeyRecord driftlearn.drift.adwin:ADWIN global own category boolean
date driftlearn.preprocess._columns:CategoryColumn driftlearn.preprocess._columns:BooleanColumn
driftlearn.preprocess._columns:DateColumn uint8 int64 driftlearn.base.history:History PCG64 native
driftlearn.base.foreign_model:ClassBook str64 driftlearn.engines.online_committee:OnlineCommittee
id born nba driftlearn.engines.hoeffding_model:HoeffdingTreeModel
driftlearn.base.committee:Committee driftlearn.learners.cart:CARTClassifier soft weight auto int16
half_instance right driftlearn.engines.row_window:RowWindow wrong clip sub evaluate first error
trained driftlearn.online.online_boost:BoostChain driftlearn.engines.naive_bayes:NaiveBayesModel
fired before seen driftlearn.online.background_bagging:BackgroundBagging
driftlearn.engines.boosted_committee:BoostedCommittee driftlearn.engines.fixed_models:FixedStumps
driftlearn.learners.hoeffding_tree:HoeffdingTreeClassifier leveraging linear stochastic implicit
on_error always coherent drift original driftlearn.engines.answer_window:AnswerWindow
driftlearn.online.leveraging_bagging:LeveragingBaggingClassifier
driftlearn.online.adaptive_random_forest:AdaptiveRandomForestClassifier
driftlearn.online.oaue:OAUEClassifier driftlearn.online.iboost:IBoostClassifier
driftlearn.online.online_boost:OnlineBoostClassifier driftlearn.online.ace:ACEClassifier
driftlearn.learners.logistic:LogisticClassifier
driftlearn.online.leveraging_bagging:LeveragingBagging tested total driftlearn.online.oaue:OAUE
driftlearn.online.iboost:IBoost driftlearn.online.online_boost:RestartingChain
driftlearn.online.ace:ACE driftlearn.engines.logistic_model:LogisticModel
driftlearn.baselines.no_change:NoChangeClassifier driftlearn.online.oob:ResamplingBagging asked
driftlearn.engines.adaptive_tree_model:AdaptiveTreeModel
driftlearn.online.flora_description:Description driftlearn.engines.fixed_tree:FixedTree
driftlearn.online.stagger:Element atom driftlearn.engines.subspace_model:SubspaceModel
driftlearn.auto.player:Player driftlearn.online.probability_stumps:RatioStump not
driftlearn.base.chunk:Chunk or adwin eddm ddm labelled iboost and
driftlearn.auto.auto_classifier:AutoClassifier vote driftlearn.chunk.learnpp:LearnPPClassifier
member driftlearn.chunk.learnpp_mt:LearnPPMTClassifier
driftlearn.chunk.learnpp_nc:LearnPPNCClassifier driftlearn.chunk.learnpp_ud:LearnPPUDClassifier
driftlearn.chunk.learnpp_udnc:LearnPPUDNCClassifier power
driftlearn.chunk.learnpp_nse:LearnPPNSEClassifier sliding error_only
driftlearn.chunk.dtel:DTELClassifier hard q driftlearn.chunk.sea:SEAClassifier accuracy
driftlearn.chunk.awe:AWEClassifier driftlearn.chunk.aue2:AUE2Classifier
driftlearn.chunk.tix:TIXClassifier driftlearn.chunk.dic:DICClassifier dvs interval
driftlearn.chunk.dynse:DYNSEClassifier knora-e
driftlearn.online.windowed_adaboost:WindowedAdaBoostClassifier
driftlearn.online.nsonline_boost:NSOnlineBoostClassifier driftlearn.online.flc:FLCClassifier
driftlearn.online.flb:FLBClassifier ratio driftlearn.online.online_bagging:OnlineBaggingClassifier
driftlearn.online.adwin_bagging:ADWINBaggingClassifier driftlearn.online.oob:OOBClassifier
driftlearn.online.oob:UOBClassifier
driftlearn.online.random_patches:StreamingRandomPatchesClassifier
driftlearn.online.ddd:DDDClassifier driftlearn.online.ocb:OCBClassifier learning
driftlearn.online.dwm:DWMClassifier driftlearn.online.winnow:WinnowClassifier winnow2
driftlearn.online.weighted_majority:WeightedMajorityClassifier wm
driftlearn.online.flora:FLORA2Classifier driftlearn.online.flora:FLORA3Classifier
driftlearn.online.stagger:STAGGERClassifier driftlearn.online.rcd:RCDClassifier
driftlearn.learners.artmap:FuzzyARTMAPClassifier
driftlearn.learners.hoeffding_adaptive_tree:HoeffdingAdaptiveTreeClassifier
driftlearn.learners.gaussian_nb:GaussianNBClassifier driftlearn.chunk.smote:SMOTEClassifier
driftlearn.baselines.majority:MajorityClassifier driftlearn.baselines.refit:RefitClassifier oaue
ace driftlearn.online.windowed_adaboost:WindowedAdaBoost
driftlearn.online.nsonline_boost:NSOnlineBoost driftlearn.online.flc:FLC
driftlearn.online.flb:WaitingRows driftlearn.drift.block:BlockTest
driftlearn.online.online_bagging:OnlineBagging driftlearn.online.adwin_bagging:ADWINBagging
driftlearn.online.ddd:DDD driftlearn.engines.mistake_distance:MistakeDistance
driftlearn.online.learning_ocb:LearningOCB driftlearn.online.dwm:DWM bayes tree fast_tree
adaptive_tree driftlearn.online.rcd:RCD driftlearn.engines.error_rate:ErrorRate float32 <f4 uint16
uint32 uint64 int8 MT19937 float16 <i2 <u4 <u2 <u8 |i1 <U1 <U2 <U3 <U4 <U5 <U6 <U7 <U8 str32
str128 str160 str192 str224 str256 logistic
"""

ROWS = """\
format made_by tree arrays
driftlearn python numpy scikit-learn
dict
new state
restore state
tuple
name
delta clock max_buckets min_window min_sub width n_updates total var_sum rising count bucket_sum bucket_var
encoder learner voices record detector seen
categories max_categories date_parts missing scale window kinds on_surprise n_features_in_ feature_names_in_ known_ surprises_ row_ file_
objects items
columns scaled count mean var
names weights
n_rows n_tested right own no_change majority classes last most span tested_in right_in own_in n_changes changes
delta clock max_buckets min_window min_sub _window drift_detected n_detections
name encoding n_places places counts is_text
name parts first
ref
limit stride steps members weights
int
generator
bits seed state
entropy spawn_key pool_size spawned
bit_generator state has_uint32 uinteger
state inc
labels announced
n_features n_classes columns models numbers met seen things n_rows n_admitted
n_features n_classes weight_seen grace_period delta tie_threshold leaf_prediction n_split_points max_depth max_nodes max_bytes feature threshold child missing_left seed subset nominal n_values offset depth since_check majority_right bayes_right slot class_weight weight mean m2 low high counts
n_features n_classes weight_seen grace_period delta tie_threshold leaf_prediction n_split_points max_depth max_nodes max_bytes feature threshold child missing_left seed subset nominal n_values offset depth since_check majority_right bayes_right slot class_weight weight mean m2 low high counts known
classes models numbers admitted _packed
min_samples_split min_samples_leaf max_depth class_weight n_features_in_ classes_ feature_ threshold_ left_ right_ value_ missing_left_ size_
n_features n_classes size X y w codes
committee soft
weight born error rows knows first id
n_features n_classes weight_seen var_smoothing weight mean m2 mean_all m2_all
n_features n_classes weight_seen known known_all var_smoothing weight mean m2 mean_all m2_all
weight born id
detector
committee options n_replaced
warning drift
committee options background background_met n_warnings n_drifts
window models n_rows n_admitted known alpha id born met
feature threshold left right missing_left
estimator n_per_chunk sample_size replacement resampling error_floor max_retries on_weak early_stop composite initial validation_share ties chunk_size class_weight random_state n_jobs n_features_in_ classes_ rng_ committee_ history_ step_ waiting_ n_weak_ counts_
estimator n_per_chunk sample_size replacement resampling error_floor max_retries on_weak early_stop composite initial validation_share ties chunk_size class_weight random_state n_jobs
grace_period delta tie_threshold leaf_prediction nominal_features max_depth max_nodes max_bytes max_features class_weight random_state n_features_in_ classes_ rng_ model_
answers asked kept
estimator n_estimators delta replace vote error class_weight random_state n_jobs rate draws codes n_features_in_ classes_ rng_ history_ class_book_ committee_ engine_
codes delta draws error n_estimators rate replace vote
estimator n_estimators rate warning_delta drift_delta vote class_weight random_state n_jobs n_features_in_ classes_ rng_ history_ class_book_ committee_ engine_
drift_delta n_estimators rate vote warning_delta
estimator n_estimators window_size weighting class_weight random_state n_features_in_ classes_ rng_ history_ class_book_ committee_ engine_
committee options errors labels
n_estimators weighting window_size
estimator n_estimators window_size period n_updates update loss step rule margin_clip weight_clip add update_when remove_negative min_window max_window delta convention resample class_weight random_state n_features_in_ classes_ rng_ history_ class_book_ committee_ engine_
options committee adwin
add convention delta loss margin_clip max_window min_window n_estimators n_updates period remove_negative resample rule step update update_when weight_clip window_size
estimator n_estimators restart_delta vote class_weight random_state n_features_in_ classes_ rng_ history_ class_book_ committee_ engine_
chain detector n_restarts
estimator n_estimators online chunk_size window_size alpha power restart vote class_weight random_state n_features_in_ classes_ rng_ history_ class_book_ committee_ engine_
answers
committee options buffer n_drifts
alpha chunk_size n_estimators power restart vote window_size
rates class_weight n_features_in_ classes_ model_
n_features n_classes weight_seen rates weight coef mistakes known mean m2
born id error weight
estimator n_estimators vote class_weight random_state n_jobs theta n_features_in_ classes_ rng_ history_ class_book_ committee_ engine_
committee options over sizes
n_estimators theta vote
n_features n_classes weight_seen grace_period delta tie_threshold leaf_prediction nominal max_depth max_nodes drift_delta switch_alpha min_width n_alternates n_switches feature threshold missing_left depth left right alternate errors leaves
n_features X y items came
n_features_in_ classes_ last_
n_features n_classes weight_seen feature threshold child share missing_left
estimator n_estimators vote class_weight random_state n_jobs theta
number kind parts size born established
n_features n_classes weight_seen columns inner
name learner hits tries new_hits new_tries all_hits all_tries
class_weight n_features_in_ classes_ feature_ threshold_ missing_left_ value_
X y w classes _same_rows_as
learners chunk_size answer window look_every tolerance hopeless class_weight random_state n_features_in_ classes_ rng_ players_ ids_ voices_ led_ dropped_ history_ n_rows_ waiting_
estimator n_per_chunk sample_size replacement resampling error_floor max_retries on_weak early_stop composite initial validation_share ties chunk_size class_weight random_state n_jobs vote n_features_in_ classes_ rng_ committee_ history_ step_ waiting_ n_weak_ counts_
weight born error rows knows first id composite_weight
estimator n_per_chunk sample_size replacement resampling error_floor max_retries on_weak early_stop composite initial validation_share ties chunk_size class_weight random_state n_jobs transfer oversample n_features_in_ classes_ rng_ committee_ history_ step_ waiting_ n_weak_ counts_
estimator n_estimators weighting slope crossing prune use_distribution error_floor max_retries chunk_size class_weight random_state n_jobs n_features_in_ classes_ rng_ committee_ history_ step_ waiting_ n_weak_
born beta id error weight
estimator n_estimators vote diversity n_transfers chunk_size class_weight random_state n_jobs n_features_in_ classes_ rng_ committee_ history_ step_ waiting_ archive_
id born error weight
born id seed
estimator n_estimators variant quality delay chunk_size class_weight random_state n_jobs n_features_in_ classes_ rng_ committee_ history_ step_ waiting_ newest_
error weight born id
estimator n_estimators n_stored n_folds chunk_size class_weight random_state n_jobs n_features_in_ classes_ rng_ committee_ history_ step_ waiting_
born error worth id weight
estimator n_estimators chunk_size class_weight random_state n_jobs n_features_in_ classes_ rng_ committee_ history_ step_ waiting_
weight born seed id error
estimator n_estimators recursive chunk_size class_weight random_state n_jobs n_features_in_ classes_ rng_ committee_ history_ step_ waiting_ doubt_ sources_ final_
estimator n_estimators selection n_neighbors drop nominal_features n_folds chunk_size class_weight random_state n_jobs n_features_in_ classes_ rng_ committee_ history_ step_ waiting_ judged_ judged_weight_ correct_
estimator n_estimators n_window n_neighbors selection slack prune nominal_features chunk_size class_weight random_state n_jobs n_features_in_ classes_ rng_ committee_ history_ step_ waiting_ judged_ judged_code_ judged_weight_ judged_step_ correct_
estimator n_estimators window_size period resample class_weight random_state n_features_in_ classes_ rng_ history_ class_book_ committee_ engine_
options committee
n_estimators period resample window_size
estimator n_estimators window_size period maturity vote class_weight random_state n_features_in_ classes_ rng_ history_ class_book_ committee_ engine_
chain options window
maturity n_estimators period vote window_size
estimator n_estimators detector delta window_size k_sd min_sub replace_worst_on_change restart_on_change vote class_weight random_state n_features_in_ classes_ rng_ history_ class_book_ committee_ engine_
chain detector options n_changes n_restarts
delta detector k_sd min_sub n_estimators replace_worst_on_change restart_on_change vote window_size
estimator n_estimators block_size n_per_block stump_proba slope change_level class_weight random_state n_features_in_ classes_ rng_ history_ class_book_ committee_ waiting_ test_
id born weight error
n_rows n size X w y
level min_blocks drift_detected n_detections n_blocks mean _squares
estimator n_estimators vote class_weight random_state n_jobs n_features_in_ classes_ rng_ history_ class_book_ committee_ engine_
committee options
n_estimators vote
estimator n_estimators delta replace vote error class_weight random_state n_jobs n_features_in_ classes_ rng_ history_ class_book_ committee_ engine_
delta error n_estimators replace vote
estimator n_estimators rate warning_delta drift_delta vote class_weight random_state n_jobs subspace n_features_in_ classes_ rng_ history_ class_book_ committee_ engine_
drift_delta n_estimators rate subspace vote warning_delta
estimator n_estimators low high multiplier detector vote class_weight random_state n_features_in_ classes_ rng_ history_ class_book_ committee_ engine_
committee options detector after right seen n_drifts
detector high low multiplier n_estimators vote
drift_level warning_level min_mistakes early_peak width n_mistakes last mean squares peak warning n_warning
estimator n_estimators members init_size order smoothing class_weight random_state n_features_in_ classes_ rng_ history_ class_book_ committee_ engine_
committee right wrong
estimator n_estimators beta theta period variant window_size online_update vote class_weight random_state n_features_in_ classes_ rng_ history_ class_book_ committee_ engine_
committee options window
beta n_estimators online_update period theta variant vote window_size
variant promotion threshold complements n_features_in_ classes_ history_ class_book_ committee_ plus_ minus_ threshold_
estimators variant beta floor class_weight random_state n_features_in_ classes_ rng_ history_ class_book_ committee_ names_ draw_
low_coverage high_coverage accuracy accuracy_window forget min_window max_window max_items n_features_in_ classes_ history_ class_book_ committee_ description_ results_ right_ n_drifts_
low_coverage high_coverage accuracy accuracy_window forget min_window max_window max_items max_concepts n_features_in_ classes_ history_ class_book_ committee_ description_ results_ right_ n_drifts_ concepts_ n_returns_
fading trial max_atoms max_elements max_size n_features_in_ classes_ history_ class_book_ committee_ pool_ counts_ totals_ came_ n_made_
estimator n_estimators detector buffer_size check_every min_rows n_neighbors alpha n_permutations compare class_weight random_state n_features_in_ classes_ rng_ history_ class_book_ committee_ engine_
committee options buffers current background rows met detector n_drifts n_returns
alpha buffer_size check_every compare detector min_rows n_estimators n_neighbors n_permutations
drift_level warning_level min_window width total p_min s_min warning n_warning
choice learning_rate vigilance match_increment bounds epochs shuffle max_categories class_weight random_state n_features_in_ classes_ rng_ weights_ category_codes_ last_learned_ n_presented_ bounds_
grace_period delta tie_threshold leaf_prediction nominal_features max_depth max_nodes drift_delta switch_alpha min_width class_weight n_features_in_ classes_ model_
var_smoothing class_weight n_features_in_ classes_ model_
estimator n_neighbors chunk_size class_weight random_state n_jobs n_features_in_ classes_ rng_ committee_ history_ step_ waiting_
window n_features_in_ classes_ counts_ recent_ recent_weights_
estimator n_chunks class_rows chunk_size class_weight random_state n_features_in_ classes_ rng_ committee_ history_ step_ waiting_ kept_ older_
learners chunk_size answer window look_every tolerance hopeless class_weight random_state
estimator n_per_chunk sample_size replacement resampling error_floor max_retries on_weak early_stop composite initial validation_share ties chunk_size class_weight random_state n_jobs vote
estimator n_per_chunk sample_size replacement resampling error_floor max_retries on_weak early_stop composite initial validation_share ties chunk_size class_weight random_state n_jobs transfer oversample
estimator n_estimators weighting slope crossing prune use_distribution error_floor max_retries chunk_size class_weight random_state n_jobs
estimator n_estimators vote diversity n_transfers chunk_size class_weight random_state n_jobs
estimator n_estimators variant quality delay chunk_size class_weight random_state n_jobs
estimator n_estimators n_stored n_folds chunk_size class_weight random_state n_jobs
estimator n_estimators chunk_size class_weight random_state n_jobs
estimator n_estimators recursive chunk_size class_weight random_state n_jobs
estimator n_estimators selection n_neighbors drop nominal_features n_folds chunk_size class_weight random_state n_jobs
estimator n_estimators n_window n_neighbors selection slack prune nominal_features chunk_size class_weight random_state n_jobs
estimator n_estimators window_size period n_updates update loss step rule margin_clip weight_clip add update_when remove_negative min_window max_window delta convention resample class_weight random_state
estimator n_estimators window_size period resample class_weight random_state
estimator n_estimators restart_delta vote class_weight random_state
estimator n_estimators window_size period maturity vote class_weight random_state
estimator n_estimators detector delta window_size k_sd min_sub replace_worst_on_change restart_on_change vote class_weight random_state
estimator n_estimators block_size n_per_block stump_proba slope change_level class_weight random_state
estimator n_estimators vote class_weight random_state n_jobs
estimator n_estimators delta replace vote error class_weight random_state n_jobs
estimator n_estimators delta replace vote error class_weight random_state n_jobs rate draws codes
estimator n_estimators window_size weighting class_weight random_state
estimator n_estimators rate warning_delta drift_delta vote class_weight random_state n_jobs
estimator n_estimators rate warning_delta drift_delta vote class_weight random_state n_jobs subspace
estimator n_estimators low high multiplier detector vote class_weight random_state
estimator n_estimators online chunk_size window_size alpha power restart vote class_weight random_state
estimator n_estimators members init_size order smoothing class_weight random_state
estimator n_estimators beta theta period variant window_size online_update vote class_weight random_state
variant promotion threshold complements
estimators variant beta floor class_weight random_state
low_coverage high_coverage accuracy accuracy_window forget min_window max_window max_items
low_coverage high_coverage accuracy accuracy_window forget min_window max_window max_items max_concepts
fading trial max_atoms max_elements max_size
estimator n_estimators detector buffer_size check_every min_rows n_neighbors alpha n_permutations compare class_weight random_state
choice learning_rate vigilance match_increment bounds epochs shuffle max_categories class_weight random_state
grace_period delta tie_threshold leaf_prediction nominal_features max_depth max_nodes max_bytes max_features class_weight random_state
grace_period delta tie_threshold leaf_prediction nominal_features max_depth max_nodes drift_delta switch_alpha min_width class_weight
var_smoothing class_weight
rates class_weight
estimator n_neighbors chunk_size class_weight random_state n_jobs
window
estimator n_chunks class_rows chunk_size class_weight random_state
pairs
float
set
bytes
scalar
new
new arguments state
class
dtype
array
random_state gauss
random
frozenset
new arguments
call arguments
call arguments state
call arguments pairs
complex
"""
