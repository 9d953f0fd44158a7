"""Parameters and attributes that chunk learners share."""

CHUNK_DOCS = {
    "estimator": """
        estimator : classifier, optional
            The base learner; by default ``CARTClassifier(min_samples_leaf=5)``. As published:
            `{name}.as_published()`: ``estimator=CARTClassifier()``.
        """,
    "chunk_size": """
        chunk_size : int, optional
            Number of rows per chunk. By default each `partial_fit` call is a chunk, and `fit`
            splits a table of 2,500 rows or more into 5 to 20 chunks.
        """,
    "single_chunk": """
        chunk_size : int, optional
            Number of rows per chunk. By default each `partial_fit` or `fit` call is a chunk,
            because a single model benefits from all rows of a table.
        """,
    "class_weight": """
        class_weight : {"balanced"}, dict or None, default=None
            Class weights, by which row weights are multiplied. A dict maps labels to weights;
            other classes have weight 1. "balanced" uses n / (k * rows of the class), with the n
            rows and k classes of a chunk.
        """,
    "random_state": """
        random_state : int, RandomState instance or None
            Seed.
        """,
    "n_jobs": """
        n_jobs : int, optional
            Number of threads for training. Results do not depend on it.
        """,
    "classes": """
        classes_ : ndarray
            The known labels, sorted.
        """,
    "members": """
        members_ : Table
            One row per member.
        """,
    "history": """
        history_ : History
            The voting weights over time.
        """,
    "step": """
        step_ : int
            Number of chunks learned; after `fit`, the number of chunks into which the table was
            split.
        """,
}

#: The same for the Learn++ family, in the words of its papers: a chunk is a data set there.
LEARNPP_DOCS = {
    **CHUNK_DOCS,
    "estimator": CHUNK_DOCS["estimator"].rstrip()
    + """ The papers' own
            experiments use a small neural network, see `MLPGoalClassifier`.
        """,
    "n_per_chunk": """
        n_per_chunk : int, default=5
            Number of members trained on each data set.
        """,
    "boosting": """
        sample_size : int or float, optional
            Number of rows in the sample for a member, or their share of the data set. By default
            the size of the data set.
        replacement : bool, default=True
            Whether rows are drawn with replacement.
        resampling : bool, default=True
            Whether members are trained on a sample drawn by the distribution, in which every class
            of the data set is present, or on all rows weighted by the distribution.
        error_floor : "half_instance" or float, default="half_instance"
            Smallest error used for voting weights, which keeps them finite.
        max_retries : int, default=10
            How often a member with an error above 1/2 is trained again, if the result can differ.
        on_weak : {"clip", "drop", "raise"}, default="clip"
            What happens to a member whose error remains above 1/2: it gets weight zero, it is
            dropped, or an error is raised.
        early_stop : bool, default=False
            Whether training on a data set ends when the composite hypothesis makes no error.
            Otherwise the distribution is reset.
        composite : {"sub", "all"}, default="sub"
            Whether the distribution depends on the composite hypothesis of the members of this
            data set, or of all members.
        initial : {"evaluate", "uniform"}, default="evaluate"
            Whether the first distribution emphasizes rows that the ensemble so far misclassifies.
        validation_share : float, optional
            Share of each class of a data set that is held out, at random, to choose the number of
            members kept. A validation set passed to `partial_fit` takes its place.
        ties : {"first", "last"}, default="first"
            Which number of members is kept if several are equally accurate on the validation rows:
            the smallest or the largest.
        """,
    "family_attributes": """
        counts_ : ndarray of shape (data sets, classes)
            Weighted number of rows of each class in every data set so far.
        n_weak_ : int
            Number of members whose training error remained above 1/2.
        """,
}
